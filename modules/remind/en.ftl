# What /remind says.

title = Reminders
title-one = Reminder
no-text = A reminder needs text, and this one contains nothing readable.
console = Reminders are delivered on Discord only, so none was kept from here.
added = Reminder { $id }, { $ahead } ({ $at }): { $text }
full = You have reached the limit of reminders, so none was added. `/remind list` shows those of here and `/remind remove` makes room.
none = You have no reminders here. `/remind add` adds one.
later = … and { $n } later ones
waiting = { $n } waiting
removed = Removed reminder { $id }.
unknown = You have no reminder { $id } here. `/remind list` shows yours.
late = It was due { $ahead }, but I was offline.
no-duration = { $typed } is not a duration. Write it like `90m`, `2h30m` or `3d`.
no-time = { $typed } is not a time. Write it like `2027-01-31T18:00Z`.
say-when = Say when: either `in: 2h` or `at: 2027-01-31T18:00Z`.
too-far = A reminder is at most a year ahead.
past = That time is in the past.
