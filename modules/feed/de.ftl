# Was /feed sagt.

title = Feeds
guild-only = Feeds erscheinen in Kanälen eines Servers, daher kam von hier keiner dazu.
known = Dieser Feed erscheint in <#{ $channel }> schon: Es ist Feed { $id }.
full = Dieser Server hat { $max } Feeds, mehr gehen nicht. `/feed remove` schafft Platz.
not-added = Es kam kein Feed dazu. { $why }
added = Feed { $id } hinzugefügt: { $title }. Was ab jetzt neu ist, erscheint in <#{ $channel }>; ich sehe alle { $minutes } Minuten nach.
none = Dieser Server hat keine Feeds. `/feed add` fügt einen hinzu.
count = { $n } von { $max }
fine = gelesen { $ago }, nächste Abfrage { $next }
failing = **nicht gelesen ({ $times }×)**: { $why } Nächste Abfrage { $next }
stopped = seit { $ago } nicht gelesen; der nächste Versuch ist { $next }
removed = Feed { $id } entfernt: { $address }
unknown = Dieser Server hat keinen Feed { $id }. `/feed list` zeigt sie.
gone = Dieser Feed wurde entfernt, oder jemand anders sieht jetzt nach ihm. Es geschah nichts.
looked = In { $address } nachgesehen: { $n } neu.
failed = { $address } wurde nicht gelesen. { $why }
status = Der Server antwortete mit dem Status { $status }.
no-feed = Dort liegt kein RSS- oder Atom-Feed.
not-sent = Ich darf in <#{ $channel }> nicht mehr schreiben.
waits = Zu viele Nachrichten warten darauf, gesendet zu werden.
more = … und { $n } frühere
