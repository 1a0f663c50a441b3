# What /feed says.

title = Feeds
guild-only = Feeds are posted in channels of a server, so none was added from here.
known = That feed is already posted in <#{ $channel }>: it is feed { $id }.
full = This server has { $max } feeds, which is the limit. `/feed remove` makes room.
not-added = No feed was added. { $why }
added = Feed { $id } added: { $title }. New entries are posted in <#{ $channel }> from now on; the bot looks every { $minutes } minutes.
none = This server has no feeds. `/feed add` adds one.
count = { $n } of { $max }
fine = read { $ago }, next look { $next }
failing = **not read ({ $times }×)**: { $why } Next look { $next }
stopped = not read since { $ago }; the next try is { $next }
removed = Removed feed { $id }: { $address }
unknown = This server has no feed { $id }. `/feed list` shows them.
gone = This feed was removed, or somebody else looks at it now. Nothing was done.
looked = Looked at { $address }: { $n } new.
failed = { $address } was not read. { $why }
status = The server answered with status { $status }.
no-feed = What is there is no RSS or Atom feed.
not-sent = I may no longer send messages to <#{ $channel }>.
waits = Too many messages wait to be sent.
more = … and { $n } earlier ones
