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
understood = That is { $day } { $at }, in your time zone { $zone }.
understood-here = That is { $day } { $at }, in the time zone { $zone }. `/remind zone` sets yours.
weekday = { $day ->
    [Mon] Monday
    [Tue] Tuesday
    [Wed] Wednesday
    [Thu] Thursday
    [Fri] Friday
    [Sat] Saturday
   *[Sun] Sunday
}
zone-set = The times that you write are now in { $zone }, where it is { $time }.
zone-here = You have no time zone of your own now. Times that you write here are in { $zone }.
zone-unknown = There is no time zone { $typed }. Write it like `Europe/Berlin`.
zone-near = There is no time zone { $typed }. Did you mean { $near }?
no-duration = { $typed } is not a duration. Write it like `90m`, `2h30m`, `2 weeks` or `1 month`, or a time like `18:00` or `tomorrow 9:00`.
no-time = { $typed } is not a time. Write it like `18:00`, `6pm`, `tomorrow 9:00`, `next friday`, `2 weeks` or `2027-01-31 18:00`.
capital-m = { $typed } is not a duration: `M` may mean minutes or months. Write `m` for minutes, such as `30m`, or `mo` for months, such as `1mo`.
say-when = Say when: either `in: 2h` or `at: tomorrow 9:00`.
too-far = A reminder is at most a year ahead.
past = That time is in the past.
not-delivered = Discord refused it; I try again, and then send it to you directly
