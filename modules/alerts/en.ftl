# What /alerts says.

title = Alerts
guild-only = Alerts are told in channels of a server, so none was set from here.
no-metrics = There are no current metrics to look at, so no alert was set. `/status` says why.
no-metric = The metrics have no number `{ $name }`, so no alert was set.
near = Did you mean { $near }?
no-line = The line must be a number that a metric can have.
no-duration = I do not understand `{ $typed }` as a duration. Write 5m, 1h or 90s; at most a day.
capital-m = `{ $typed }` is not a duration: `M` may mean minutes or months. Write `m` for minutes, such as 5m.
full = This server has { $max } alerts, which is the limit. `/alerts remove` makes room.
set = Alert { $id }, told in <#{ $channel }>: { $what }. Now it is { $value }.
none = This server has no alerts. `/alerts set` sets one.
count = { $n } of { $max }
above = { $name } above { $line }
below = { $name } below { $line }
lasting = { $what } for { $lasts }
now = now { $value }
unknown-now = no current value
on = **told**, and not over yet
no-longer-sent = **I may no longer send messages to that channel**
unknown = This server has no alert { $id }. `/alerts list` shows them.
removed = Removed alert { $id }: { $what }.
began = ⚠ { $what }
over = ✓ No longer: { $what }
value = Now it is { $value }.
gone = This server has no alerts any more.
looked = Alerts looked at: { $n }; changed: { $changed }.
