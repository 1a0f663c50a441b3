# What /status says.

title = Status
title-range = Status, { $range }
range-hour = last hour
range-day = last 24 hours
range-week = last 7 days
no-metrics = The file holds no metrics.
more = { $n } more do not fit: ask for one by name.
more-lines = and { $n } more
console = `live` works on Discord only: nothing is kept up to date in a terminal.
list-or = or

## Names of metrics

unknown = `{ $path }` has no metric `{ $name }`.
near = Did you mean { $near }?
has-none = It has none at all.
has = It has { $names }.
has-more = It has { $names } and { $n } more.

## How old the values are

fresh = fresh · { $age }
fresh-by-file = fresh · { $age } going by the file's own timestamp
stale = stale since { $since } · { $age }
missing = missing since { $since }, { $ago } (showing the last good values from { $at }, { $age })
invalid = invalid since { $since }, { $ago } (showing the last good values from { $at }, { $age })
clock = clock problem: written at { $at }, { $ahead } ahead of this machine's clock
fresh-lasting = As of { $at }.
fresh-by-file-lasting = As of { $at }, going by the file's own timestamp.
stale-lasting = Stale since { $since }.
missing-lasting = Missing since { $since }. The last good values are from { $at }.
invalid-lasting = Invalid since { $since }. The last good values are from { $at }.
clock-lasting = Clock problem: written at { $at }, { $ahead } ahead of this machine's clock.
unusable = The file is not usable as it is now: { $problem }.
gone = The file is missing now.
no-time = What the file gives as `{ $key }` is not a time, so the age shown is that of the file.
no-file = No data: there is no file `{ $path }` (missing since { $since }, { $age }). Let a producer write a JSON object there, or set `enabled = true` in `[host_metrics]` of `config.toml` to have this machine's own figures.
never-usable = No data: `{ $path }` has not been usable since { $since }, { $age }: { $problem }. Nothing usable was read from it before. Its producer has to write one JSON object, whole.
not-read-yet = No data yet: `{ $path }` has not been read yet. Try again in a moment.

refresh = Refresh

## Values

yes = yes
no = no
no-value = no value
empty = (empty)
entries = { $n ->
    [one] 1 entry
   *[other] { $n } entries
}
days = { $n ->
    [one] 1 day
   *[other] { $n } days
}
part = { $part } of { $whole }

## Charts

no-samples = No samples of the { $range } yet: there is nothing to draw. Ask again later.
one-sample = So far there is one sample, and a curve takes two. Ask again later.
summary = min { $low } · max { $high } · last { $last }
stretch = { $from } to { $until }
stale-at = Stale: { $stretches }.
stale-more = Stale: { $stretches }, and { $n } times before.
since = Measured since { $from }.
unchanged = Unchanged: { $names }.
unchanged-more = Unchanged: { $names } and { $n } more.
not-drawn = Not drawn; ask for one by name: { $names }.
not-drawn-more = Not drawn; ask for one by name: { $names } and { $n } more.

## Names of the bot's own figures

name-cores = Cores
name-cpu = CPU
name-disk = Disk
name-fifteen = Fifteen
name-five = Five
name-load = Load
name-memory = Memory
name-network = Network
name-one = One
name-received = Received
name-receiving = Receiving
name-sending = Sending
name-sent = Sent
name-total = Total
name-uptime = Uptime
name-usage = Usage
name-used = Used
