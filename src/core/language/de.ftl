# Deutsch. Jede Meldung hat denselben Namen und dieselben Angaben wie in en.ftl.

## Listen von Namen

decimal-point = ,
list-or = { $others } oder { $last }
list-and = { $others } und { $last }

## Was es gibt

unknown-command = Unbekannter Befehl `{ $command }`. `/help` zeigt, was es gibt.
unknown-command-near = Unbekannter Befehl `{ $command }`. Meintest du { $near }?
unknown-subcommand = `{ $command }` gibt es nicht.
unknown-subcommand-near = `{ $command }` gibt es nicht. Vorhanden: { $exist }.
unknown-typed = Falls du keinen Befehl meinst, beginne die Nachricht mit einem anderen Wort.
not-plain = `{ $command }` { $why ->
    [quote] steht in einem Zitat
    [code] steht in Code
    [quotation-marks] steht in Anführungszeichen
    [backslash] steht hinter einem Backslash
    [formatted] ist formatiert
    [link] ist ein Link
    [lookalike] beginnt mit einem Zeichen, das nur wie ein Schrägstrich aussieht
    [hidden] hat unsichtbare Zeichen davor
    [mention] hat eine Erwähnung oder ein Emoji davor
   *[below] steht unter anderen Worten
}, daher wurde der Befehl nicht ausgeführt. Um ihn auszuführen, schick eine einfache Nachricht, die mit `{ $command }` beginnt.
command-changed = `{ $command }` wurde nicht ausgeführt: { $problem }. Der Befehl hat sich geändert, und deine Discord-App zeigt noch die alte Fassung. Starte Discord neu oder lade es neu und versuch es noch einmal.
command-malformed = `{ $command }` wurde nicht ausgeführt: { $problem }. Aufruf:
named-command = `{ $command }` ist ein Befehl und wurde nicht ausgeführt. So rufst du ihn auf:
command-malformed-near = Meintest du `{ $near }`?
command-malformed-alone = `{ $command }` wurde nicht ausgeführt: { $problem }.
command-unavailable = `{ $command }` ist nicht verfügbar: Sein Modul hat die Prüfung beim Start nicht bestanden.
subcommand-unavailable = `{ $command }` ist nicht verfügbar: Die Prüfung beim Start hat dort einen Fehler gefunden.
unavailable-code = Wer den Bot betreibt, findet mit diesem Code mehr heraus: `{ $code }`.
command-chat-only = Unbekannter Befehl `{ $command }`: Das ist ein Werkzeug allein für das Sprachmodell. Frag in eigenen Worten danach.
command-of-chat = Es gibt hier kein Sprachmodell, und `{ $command }` braucht eines; daher wurde nichts ausgeführt.
menu-command-unknown = Den Kontextmenü-Befehl `{ $name }` gibt es nicht mehr, und deine Discord-App zeigt ihn noch. Starte Discord neu oder lade es neu, dann verschwindet er.

## Was an Angaben nicht stimmt
# Jedes steht mitten in `command-changed` oder `command-malformed`; ein misfit steht hinter dem Namen einer Option.

argument-missing = es fehlt `{ $option }`
argument-subcommand = es fehlt ein Unterbefehl
argument-too-many = er würde mit mehr laufen, als hier vorher gezeigt werden kann; tippe den Befehl
argument-no-subcommands = es gibt keine Unterbefehle
argument-not-taken = `{ $typed }` gehört nicht dazu
argument-none = der Befehl hat keine Optionen, also kann `{ $typed }` nicht dahinter stehen
argument-takes = es gibt { $options }
argument-unknown = die Option `{ $typed }` gibt es nicht; { $takes }
argument-behind = `{ $typed }` steht hinter dem Wert von `{ $option }`; { $takes }
argument-before = `{ $typed }` steht vor jedem Optionsnamen; { $takes }
argument-twice = `{ $option }` steht zweimal da
argument-misnamed = `{ $typed }` gibt es nicht. Meintest du `{ $named }`? Soll es so bleiben, schreibe `{ $kept }`
argument-slip = `{ $typed }` gibt es nicht, aber `{ $option }`
argument-unclosed = das Anführungszeichen vor `{ $typed }` wird nie geschlossen
argument-behind-quotation = direkt hinter dem schließenden Anführungszeichen von `{ $option }` steht Text
argument-no-value = hinter `{ $option }` steht kein Wert
argument-file = `{ $option }` lässt sich nicht tippen: Wähl den Befehl in der Auswahl, um eine Datei anzuhängen
option-text = Text
option-integer = ganze Zahl
option-number = Zahl
option-boolean = true oder false
option-user = Person
option-channel = Kanal
option-role = Rolle
option-mentionable = Person oder Rolle
option-file = Datei
option-message = Nachricht
misfit-text = muss Text sein
misfit-too-short = muss mindestens { $min } Zeichen haben
misfit-too-long = darf höchstens { $max } Zeichen haben; das sind { $length }
misfit-choice = muss eines davon sein: { $known }
misfit-integer = muss eine ganze Zahl sein
misfit-number = muss eine Zahl sein
misfit-too-small = muss mindestens { $min } sein
misfit-too-large = darf höchstens { $max } sein
misfit-boolean = muss `true` oder `false` sein
misfit-user = muss eine Person sein, erwähnt als `<@80351110224678912>`
misfit-role = muss eine Rolle sein, erwähnt als `<@&80351110224678912>`
misfit-mentionable = muss eine Person oder eine Rolle sein, erwähnt als `<@80351110224678912>`
misfit-file = muss eine Datei sein
misfit-message = muss eine Nachricht sein
misfit-channel = muss ein Kanal sein, erwähnt als `<#80351110224678912>`
misfit-channel-kind = muss eine andere Art von Kanal sein
misfit-channel-typed = nimmt nur manche Arten von Kanälen: Wähl ihn in der Auswahl

## Wer einen Befehl benutzen darf, und wie oft

denied-blocked = Du darfst diesen Bot nicht benutzen, daher wurde `{ $command }` nicht ausgeführt. Das entscheidet sein Betreiber.
denied-operators-only = `{ $command }` ist den Betreibern dieses Bots vorbehalten. Der Befehl wurde nicht ausgeführt.
denied-gone = `{ $command }` gibt es nicht mehr. Der Befehl wurde nicht ausgeführt.
denied-not-a-tool = `{ $command }` ist für Menschen, nicht für Sprachmodelle. Der Befehl wurde nicht ausgeführt.
denied-not-confirmed = `{ $command }` ändert etwas, und niemand hat es bestätigt. Der Befehl wurde nicht ausgeführt.
denied-switched-off = `{ $command }` ist auf diesem Server abgeschaltet. Der Befehl wurde nicht ausgeführt.
denied-server-unknown = `{ $command }` wurde nicht ausgeführt: Dieser Bot kann gerade nicht lesen, was auf diesem Server abgeschaltet ist. Versuch es später noch einmal.
denied-users = `{ $command }` ist nur für bestimmte Personen, und du gehörst nicht dazu. Der Befehl wurde nicht ausgeführt.
denied-roles = `{ $command }` ist für Mitglieder mit bestimmten Rollen, und du hast keine davon. Der Befehl wurde nicht ausgeführt.
denied-roles-outside = `{ $command }` ist für Mitglieder mit bestimmten Rollen, und hier hat niemand Rollen. Der Befehl wurde nicht ausgeführt. Benutze ihn auf dem Server.
denied-roles-not-said = `{ $command }` ist für Mitglieder mit bestimmten Rollen, und diese Nachricht sagt nicht, welche du hast. Der Befehl wurde nicht ausgeführt. Wähle ihn in der Auswahl: Tippe `/` und wähle ihn aus.
denied-channels = `{ $command }` ist nur für bestimmte Kanäle, und dieser gehört nicht dazu. Der Befehl wurde nicht ausgeführt.
denied-discord = `{ $command }` ist für Mitglieder mit diesen Berechtigungen, und dir fehlen hier: { $missing }. Der Befehl wurde nicht ausgeführt.
denied-discord-outside = `{ $command }` ist für Mitglieder mit diesen Berechtigungen, und hier hat niemand welche: { $missing }. Der Befehl wurde nicht ausgeführt. Benutze ihn auf dem Server.
denied-discord-not-said = `{ $command }` ist für Mitglieder mit diesen Berechtigungen, und eine getippte Nachricht sagt nicht, ob du sie hast: { $missing }. Der Befehl wurde nicht ausgeführt. Wähle ihn in der Auswahl: Tippe `/` und wähle ihn aus.
denied-servers-only = `{ $command }` geht nur auf Servern. Der Befehl wurde nicht ausgeführt.
denied-direct-only = `{ $command }` geht nur in Direktnachrichten mit diesem Bot. Der Befehl wurde nicht ausgeführt.
denied-elsewhere = `{ $command }` geht hier nicht. Der Befehl wurde nicht ausgeführt.
denied-age = `{ $command }` ist für Kanäle mit Altersbeschränkung, und eine getippte Nachricht sagt nicht, ob dieser einer ist. Der Befehl wurde nicht ausgeführt. Wähle ihn in der Auswahl: Tippe `/` und wähle ihn aus.
denied-picker = `{ $command }` ist für Mitglieder, denen Discord ihn zeigt, im Normalfall die mit: { $wanted }. Das prüft Discord nur in seiner Auswahl. Der Befehl wurde nicht ausgeführt. Wähle ihn in der Auswahl: Tippe `/` und wähle ihn aus.
denied-members = `{ $command }` ist für Mitglieder mit: { $wanted }. Der Befehl geht nur auf Servern, zu denen deren Administratoren diesen Bot hinzugefügt haben. Er wurde nicht ausgeführt.
chat-denied-person = Du darfst dich mit dem Sprachmodell dieses Bots nicht unterhalten. Das entscheidet sein Betreiber. Slash-Befehle funktionieren weiterhin.
chat-denied-place = Das Sprachmodell dieses Bots antwortet in diesem Kanal nicht. Slash-Befehle funktionieren weiterhin.
chat-denied-direct = Das Sprachmodell dieses Bots antwortet nicht auf deine Direktnachrichten. Das entscheidet sein Betreiber. Slash-Befehle funktionieren weiterhin.
chat-denied-server-off = Die Administratoren dieses Servers haben das Sprachmodell abgeschaltet. Slash-Befehle funktionieren weiterhin.
chat-denied-server-channel = Die Administratoren dieses Servers haben andere Kanäle für das Sprachmodell gewählt. Slash-Befehle funktionieren weiterhin.
chat-denied-server-role = Die Administratoren dieses Servers lassen nur Mitglieder mit bestimmten Rollen mit dem Sprachmodell reden. Slash-Befehle funktionieren weiterhin.
chat-denied-server-unknown = Dieser Bot kann die Einstellungen dieses Servers gerade nicht lesen, daher hat deine Nachricht das Sprachmodell nicht erreicht. Versuch es später noch einmal.
chat-too-fast = Du hast dem Sprachmodell zu viele Nachrichten geschickt: höchstens { $messages } in einer Minute. Warte ein wenig. Slash-Befehle funktionieren weiterhin.
chat-blocked = Du darfst diesen Bot nicht benutzen. Das entscheidet sein Betreiber.
cooldown-user = `{ $command }` wurde nicht ausgeführt: Du hast ihn erst vor Kurzem benutzt. Versuch es in { $wait } noch einmal (um { $at }).
cooldown-channel = `{ $command }` wurde nicht ausgeführt: In diesem Kanal hat ihn erst vor Kurzem jemand benutzt. Versuch es in { $wait } noch einmal (um { $at }).
cooldown-guild = `{ $command }` wurde nicht ausgeführt: Auf diesem Server hat ihn erst vor Kurzem jemand benutzt. Versuch es in { $wait } noch einmal (um { $at }).
cooldown-global = `{ $command }` wurde nicht ausgeführt: Jemand hat ihn erst vor Kurzem benutzt. Versuch es in { $wait } noch einmal (um { $at }).
cooldown-unknown = `{ $command }` wurde nicht ausgeführt: Dieser Bot kann gerade nicht prüfen, ob du noch warten musst. Versuch es später noch einmal.

## Befehle, die nicht gelingen, und Antworten, die lange dauern

command-store = `{ $command }` wurde nicht ausgeführt: Dieser Bot kann gerade nicht in seinen Speicher schreiben. Versuch es später noch einmal.
module-busy = Zu viele dieser Aufrufe laufen gerade. Versuch es gleich noch einmal.
later-console = In der Konsole wird nichts später aufgerufen; daher wurde nichts behalten.
later-server = Nur ein Server hat eigene Aufrufe, und das hier ist keiner. Nichts wurde behalten.
later-full = Es warten schon { $max } spätere Aufrufe, und mehr dürfen es nicht sein. Nichts wurde behalten.
failed-inside = `{ $command }` ist fehlgeschlagen: Dabei ging intern etwas schief; was genau, kann der Betreiber nachlesen. Nichts wurde erfunden.
failed-store = `{ $command }` ist fehlgeschlagen: Der Speicher dieses Bots ist voll oder gestört, daher konnte nichts gespeichert werden. Nichts wurde erfunden.
unsure-outside = `{ $command }` hat vielleicht schon gewirkt, vielleicht auch nicht: Der Befehl ging hinaus, und es kam keine lesbare Antwort. Sieh nach, bevor du es noch einmal versuchst.
# Unter der Frage eines Befehls, der vorher fragt, und die Aufschrift seines Knopfes.
ask-how = Um ihn auszuführen, drück den Knopf oder gib `{ $option }: true` dazu.
ask-button = Ausführen
tool-without-words = Erledigt. Es kam eine Antwort ohne Text.
failed-crashed = `{ $command }` ist fehlgeschlagen: Der Befehl ist abgestürzt, und der Betreiber kann nachlesen, warum. Nichts wurde erfunden.
failed-conflict = `{ $command }` wurde nicht ausgeführt: Jemand anders hat im selben Moment dasselbe geändert. Nichts wurde geändert; versuch es noch einmal.
failed-not-stored = `{ $command }` ist fehlgeschlagen: Der Speicher hat die Änderung nicht bestätigt, wahrscheinlich ist also nichts geändert. Sieh nach, bevor du es noch einmal versuchst.
interrupted-nothing = `{ $command }` wurde unterbrochen: Der Bot wurde mittendrin neu gestartet. Nichts wurde geändert.
interrupted-unknown = `{ $command }` wurde unterbrochen: Der Bot wurde mittendrin neu gestartet, und es kann sein, dass der Befehl schon gewirkt hat. Sieh nach, bevor du es noch einmal versuchst.
interrupted-done = `{ $command }` lief; der Bot wurde neu gestartet, bevor er es sagen konnte. Die Antwort:
interrupted-late = Das wurde unterbrochen: Der Bot wurde mittendrin neu gestartet. Nichts wurde geändert.
interrupted-late-unknown = Das wurde unterbrochen: Der Bot wurde mittendrin neu gestartet, und es kann sein, dass es schon gewirkt hat. Sieh nach, bevor du es noch einmal versuchst.
interrupted-turn = Der Bot wurde mitten in dieser Antwort neu gestartet; es kommt nichts mehr.
failed-too-slow = `{ $command }` ist fehlgeschlagen: Der Befehl wurde nicht innerhalb von { $seconds } s fertig und wurde angehalten; was bis dahin geschah, ist unbekannt. Nichts wurde erfunden.
command-broke = Der Befehl ist auf dem Weg zu Discord fehlgeschlagen. `/receipt` zeigt, ob er ausgeführt wurde.
still-running = Das läuft noch. Discord nimmt mehr als 15 Minuten nach einem Befehl keine Antwort mehr an: `/receipt` zeigt die Antwort, sobald es eine gibt.
answer-for-one-alone = Die Antwort auf `{ $command }` ist für dich allein. Drück den Knopf, wähl den Befehl in Discords Auswahl, oder schreib ihn mir direkt.
answer-for-one-alone-elsewhere = Die Antwort auf `{ $command }` ist für dich allein. Wähl den Befehl in Discords Auswahl, oder schreib ihn mir direkt.
answer-not-shown = Es gibt eine Antwort, aber sie ließ sich nicht zeigen.
answer-of-command-not-shown = `{ $command }` lief, aber die Antwort ließ sich nicht zeigen. { $record }
receipt-not-kept = Der Beleg dazu konnte nicht gespeichert werden.
fields-left-out = { $n } weitere werden nicht gezeigt: Discord nimmt keine größere Nachricht an.
cut = … (gekürzt)
picture-not-drawn = Das Bild ließ sich nicht zeichnen; der Text sagt dasselbe.

## Wohin ein Modul nicht schreiben darf

send-no-channel = Ich darf in <#{ $channel }> nicht schreiben. Der Betreiber dieses Bots erlaubt es mit `{ $module } = ["{ $channel }"]` unter `[modules.send_to]` in seinen Einstellungen.
send-no-channel-here = Ich darf in <#{ $channel }> nicht schreiben. Wer diesen Server verwalten darf, erlaubt es mit `/settings set name: module_channels value: { $module } = <#{ $channel }>`.
send-no-channels = Der Betreiber dieses Bots hat das noch in keinem Kanal erlaubt: `{ $module } = ["{ $channel }"]` unter `[modules.send_to]` in seinen Einstellungen würde <#{ $channel }> erlauben.

## Wo ein Text eines Moduls den Server nennt

server-without-name = diesem Server
server-of-direct-messages = diesem Gespräch

## Was ein Modul im Web nicht lesen kann

http-address = Nur eine `https`-Adresse mit einem Hostnamen kann gelesen werden, etwa `https://example.org/feed.xml`.
http-host-not-allowed = Der Betreiber dieses Bots hat nicht erlaubt, von dieser Website zu lesen.
http-not-public = Diese Adresse gehört nicht zum öffentlichen Internet und wird nicht gelesen.
http-unreachable = Diese Website ist gerade nicht erreichbar.
http-timed-out = Diese Website hat nicht rechtzeitig geantwortet. Versuch es später noch einmal.
http-too-large = Was diese Website sendet, ist zu groß.
http-redirects = Diese Adresse leitet zu oft weiter.
http-busy = Dieser Bot liest gerade zu viele Adressen. Versuch es gleich noch einmal.

## Was ein Modul von einer Datei nicht lesen kann, die mit einem Befehl kam

attachment-too-large = Diese Datei ist zu groß: Höchstens { $kib } KiB werden angenommen.
attachment-unreachable = Discord liefert diese Datei gerade nicht. Häng sie noch einmal an.
attachment-changed = Diese Datei ist nicht die, die Discord angekündigt hat, und wird nicht angenommen. Häng sie noch einmal an.

## Was in einem Arbeitsbereich nicht getan wird

workspace-path = Dieser Pfad geht nicht: { $problem }.
path-empty = er ist leer
path-too-long = er hat mehr als { $max } Zeichen
path-from-root = er beginnt an der Wurzel eines Rechners; schreib ihn ab dem gemeinsamen Ordner, etwa `notizen/a.txt`
path-letter = '{ $letter }' darf hier in keinem Namen stehen; Ordner trennt `/`
path-too-deep = er führt durch mehr als { $max } Ordner
path-empty-name = ein Name darin ist leer
path-dots = `.` und `..` sind keine Namen, und nichts führt aus dem gemeinsamen Ordner hinaus
path-last-dot = ein Name darin endet mit einem Punkt
path-space = ein Name darin beginnt oder endet mit einem Leerzeichen
path-long-name = ein Name darin ist zu lang
path-device = ein Name darin ist auf manchen Systemen ein Gerät
path-own = Namen, die mit `{ $prefix }` beginnen, gehören dem Bot
workspace-no-file = Hier gibt es keine Datei `{ $path }`.
workspace-no-folder = Hier gibt es keinen Ordner `{ $path }`.
workspace-is-folder = `{ $path }` ist ein Ordner.
workspace-not-file = `{ $path }` ist keine Datei.
workspace-not-through = `{ $path }` führt durch `{ $name }`, und das ist kein Ordner.
workspace-link = `{ $path }` ist eine Verknüpfung oder führt durch eine, und denen wird hier nicht gefolgt.
workspace-too-large = `{ $path }` ist größer als { $kib } KiB und wird deshalb nicht gelesen.
workspace-no-text = `{ $path }` ist kein Text in UTF-8 und wird deshalb nicht gelesen.
workspace-changed = Jemand anderes hat `{ $path }` inzwischen geändert. Es wurde nichts geschrieben; lies die Datei noch einmal.
workspace-content-too-large = Eine Datei darf { $kib } KiB haben, und dieser Inhalt ist länger. Es wurde nichts geschrieben.
workspace-too-many-files = Der gemeinsame Ordner ist voll: mehr als { $max } Dateien gehen nicht. Es wurde nichts geschrieben. Überschreib oder lösche eine Datei.
workspace-full = Der gemeinsame Ordner ist voll: alle Dateien zusammen dürfen { $mib } MiB haben. Es wurde nichts geschrieben. Kürze oder lösche eine Datei.
workspace-all-full = Es ist kein Platz: alle Ordner dieses Bots zusammen dürfen { $mib } MiB haben. Es wurde nichts geschrieben. Dateien lassen sich löschen, und der Betreiber kann mehr erlauben.

## Zeilen unter Antworten
# Eine Zeile eines Modells, die wie `label-generated` oder `label-ran` beginnt, wird in jeder Sprache als seine gekennzeichnet.

footer-recovered = nachgeholt
footer-as-of = Stand { $time }
footer-source-as-of = { $source }, Stand { $time } ({ $age })
later-not-here = `{ $command }` lief nicht: Ich bin nicht in diesem Server oder dieser Gruppe und könnte hier später nicht antworten. Nutze es in einer Direktnachricht mit mir.
due-sent-directly = In { $channel } konnte ich das nicht schreiben, deshalb schicke ich es dir hier.
mention-unread = Du hast meine Rolle erwähnt, und den Text solcher Nachrichten zeigt mir Discord nicht. Erwähne stattdessen mich: Wähl in der Liste hinter `@` den Namen mit der Marke APP.
notice-changed = Diese Nachricht wurde geändert, statt eine neue zu schreiben: Hier bekommst du eine in { $seconds } s.
footer-nothing-done = noch nichts getan
footer-receipt = Beleg { $id }
footer-no-receipt = kein Beleg: Er konnte nicht gespeichert werden
footer-under-a-millisecond = unter 1 ms
footer-refreshed = aktualisiert
footer-due = wie geplant
footer-event = zu einem Ereignis
footer-schedule = nach Zeitplan
footer-of-module = gesendet vom Modul { $module }
message-not-sent = Würde an den Kanal { $channel } gesendet: { $words }
age-seconds = vor { $n } s
age-minutes = vor { $n } min
age-hours = vor { $n } h
age-days = vor { $n } Tagen
age-future = in der Zukunft
label-generated = generiert
label-part = { $n } von { $of }
label-rest-in-file = der Rest steht in der Datei
label-still-writing = schreibt noch
label-ran = ausgeführt: { $commands }
label-none = kein Befehl lief
label-asked = { $commands } hat erst gefragt
label-folded = ein Teil einer Antwort ist eingeklappt
label-refused = { $commands } { $n ->
    [one] wurde
   *[other] wurden
} abgelehnt
label-failed = { $commands } fehlgeschlagen
label-unknown = { $commands }: Ausgang unbekannt
label-more = { $n } weitere
receipt-nouns = beleg belege belegs belegnummer quittung quittungen
label-without-receipt = ohne Beleg
rest-missing = der Rest dieser Antwort fehlt vielleicht
notes-more = { $n } weitere: /receipt zeigt sie

## Befehle, die ein Sprachmodell ausführt

running = { $command } läuft …
thinking = Das Sprachmodell hat noch nichts geschrieben.
question-asked = Ein Sprachmodell möchte diesen Befehl ausführen, der etwas ändert:
question-reason = Der Grund des Modells: { $reason }
question-file = Das ist nicht alles: In `{ $file }` steht der ganze Befehl.
question-confirm = Er läuft nur, wenn { $person } innerhalb von { $seconds } s zustimmt. Niemand sonst kann das entscheiden.
question-button = Dieser Knopf führt einen Befehl aus, der nicht zu seinem Modul gehört. Führe ihn nur aus, wenn du das willst:
button-run-asked = Ausführen
button-confirm = Ausführen
button-decline = Abbrechen
question-confirmed = bestätigt
question-declined = abgelehnt: nichts wurde ausgeführt
question-unanswered = Niemand hat rechtzeitig zugestimmt. Es wurde nichts ausgeführt.
question-restarting = Dieser Bot startet gerade neu. Es wurde nichts ausgeführt.
question-stopped = Die Antwort wurde angehalten. Es wurde nichts ausgeführt.
press-closed = Diese Frage ist nicht mehr offen. Dieser Klick hat nichts ausgelöst.
press-blocked = Du darfst diesen Bot nicht benutzen. Das entscheidet sein Betreiber. Dieser Klick hat nichts ausgelöst.
press-unreadable = Diese Schaltfläche oder Liste konnte nicht gelesen werden, daher wurde nichts ausgeführt. Lade Discord neu (Strg+R) und versuch es noch einmal.
answer-folded = … { $n } weitere
button-show-all = Alles zeigen
note-private = { $person }: { $command } lief, die Antwort siehst nur du.
button-show = Zeigen
note-unshown = Ausgeführt: { $run }. Die Antwort ließ sich hier nicht zeigen.

## Anmerkungen unter den Worten eines Modells

note-only-written = Vom Modell nur geschrieben, nicht ausgeführt: { $commands }.
note-made-up = Das Modell schrieb die Antwort eines Befehls, der nicht ausgeführt wurde; sie wurde herausgenommen.
note-cut-longest = Die Antwort endet hier: Sie ist länger, als ich zeige.
note-cut-off = Die Antwort wurde hier abgeschnitten, an der Längengrenze des Modells.
note-cut-time = Die Antwort wurde hier abgeschnitten: Ihre Zeit war um, oder das Modell schrieb nicht weiter.
note-cut-lost = Die Antwort wurde hier abgeschnitten: Der Server des Modells brach ab.
note-cut-call = Die Antwort endet hier: Das Sprachmodell wollte einen Befehl so aufrufen, dass es nicht lesbar war. Dieser Aufruf wurde nicht ausgeführt.
note-left-out = { $n } frühere Nachrichten wurden für diese Antwort weggelassen: Das Modell hatte keinen Platz für sie.
note-stopped = Angehalten von { $person }.
note-leaving = Der Bot startet neu, deshalb endet die Antwort hier.
note-elsewhere = Der Bot war eine Weile abgeschnitten, deshalb endet die Antwort hier: Ein anderer Prozess von ihm führt das Gespräch weiter.
note-edited = Die Frage wurde währenddessen geändert. Das hier beantwortet, was vorher dort stand.
note-deleted = Die Frage wurde gelöscht, deshalb endet die Antwort hier.
note-cleared = Durch /clear beendet: Dieser Austausch wird nicht behalten.
note-receipt = Kein Befehl dieser Antwort hat den Beleg { $id }.
note-question = Die Frage im Code ist vom Sprachmodell: Kein Befehl wartet auf eine Zustimmung.
note-not-run = { $command } wurde nicht ausgeführt: { $why }
notes-more-failures = { $n } weitere waren nicht erfolgreich: /receipt zeigt sie
# Warum ein Befehl nicht lief, für das Ende von `note-not-run`.
call-declined = die Person hat Nein gesagt
call-unconfirmed = niemand hat es bestätigt
call-ran-before = er wurde schon ausgeführt, für dieselbe Nachricht
call-out-of-time = die Zeit dafür war um
call-spared-declined = eine frühere Änderung wurde nicht bestätigt
call-spared-wrong-step = ein anderer Aufruf daneben war falsch
call-spared-too-many = es waren zu viele Aufrufe auf einmal
call-stopped = die Antwort wurde angehalten
call-left = die Person ist nicht mehr auf diesem Server

## Befehle, die ein Modell nicht ausführte, unter seinen Worten

button-run = { $command } ausführen
run-not-theirs = Nur wer gefragt hat, darf das ausführen. Es wurde nichts ausgeführt.
run-nothing = Unter dieser Antwort gibt es nichts auszuführen.
run-before = Ein Befehl dieser Antwort wurde schon über seine Schaltfläche ausgeführt, daher wurde es dieser nicht. Tipp ihn selbst; `/receipt` zeigt, was ausgeführt wurde.
run-store = Dieser Bot kann gerade seinen Speicher nicht benutzen, daher wurde nichts ausgeführt. Versuch es später noch einmal.
run-blocked = Du darfst diesen Bot nicht benutzen. Das entscheidet sein Betreiber. Es wurde nichts ausgeführt.

## Was ein Modell schrieb

said-none = Dieser Bot kennt keine Chat-Antwort zu dieser Nachricht.
said-not-theirs = Das dürfen nur sehen, wer gefragt hat, und Betreiber.
said-store = Dieser Bot kann gerade seinen Speicher nicht benutzen. Versuch es später noch einmal.
said-nothing = Das Modell schrieb nichts.
said-title = Was das Modell schrieb:
said-results = Was ihm die Befehle sagten:

## Rechnungen

calculate-absent = Dieser Bot wurde ohne das gebaut, was es ausrechnet, also wurde nichts ausgerechnet.
calculate-comma = Ein Komma zwischen Ziffern kann zweierlei heißen. Schreib einen Dezimalpunkt und nichts zwischen Tausender: `3.5`, `1000`.
calculate-too-much = Das braucht mehr Zeit oder Speicher, als eine Rechnung darf.
calculate-too-long = Das Ergebnis hat { $n } Zeichen, zu viele, um es zu zeigen.
calculate-problem = Das lässt sich so nicht ausrechnen. Das geht: `12% of 340`, `5 km to miles`, `today + 2 weeks`.
calculate-unknown = Das lässt sich nicht ausrechnen: { $word } ist hier unbekannt.
calculate-units = Das lässt sich nicht ausrechnen: { $from } und { $to } messen Verschiedenes.
calculate-no-date = Das lässt sich nicht ausrechnen: Ein Datum darin gibt es nicht.
calculate-in = Das lässt sich so nicht ausrechnen. Für Zoll schreib `inch`: `5 ft 11 inch to cm`.
calculate-from = Gezählt ab { $from }.
calculate-from-end = Gezählt ab { $from }. Der Monat hat keinen solchen Tag, darum ist das sein letzter.
calculate-by-zero = Das lässt sich nicht ausrechnen: Durch null kann man nicht teilen.
calculate-nothing = Da ist nichts auszurechnen.
calculate-no-meaning = Das lässt sich nicht ausrechnen: { $sign } hat hier keine Bedeutung.
calculate-busy = Gerade wird zu viel ausgerechnet, darum das hier nicht. Versuch es gleich noch einmal.
calculate-days = { $n ->
    [one] { $n } Tag
   *[other] { $n } Tage
}
calculate-date = { $weekday }, { $day }. { $month } { $year }
calculate-weekday = { $n ->
    [1] Montag
    [2] Dienstag
    [3] Mittwoch
    [4] Donnerstag
    [5] Freitag
    [6] Samstag
   *[7] Sonntag
}
calculate-month = { $n ->
    [1] Januar
    [2] Februar
    [3] März
    [4] April
    [5] Mai
    [6] Juni
    [7] Juli
    [8] August
    [9] September
    [10] Oktober
    [11] November
   *[12] Dezember
}

## Was mit einer Antwort getan werden kann

ask-again-asked = Noch einmal gefragt. Die Antwort kommt neu.
ask-again-not-theirs = Nur wer gefragt hat, darf das noch einmal fragen.
ask-again-nothing = Diese Antwort gehört zu keiner Nachricht, die noch einmal gefragt werden könnte.
ask-again-gone = Die Nachricht zu dieser Antwort ist nicht mehr da.
ask-again-no-words = Diese Nachricht ist keine Frage an das Sprachmodell mehr. Es wurde nichts gefragt und nichts ausgeführt.
delete-done = Die Antwort ist gelöscht. Befehle, die dabei liefen, bleiben ausgeführt, und ihre Belege bleiben. Das Modell erinnert sich noch daran; mit `/clear` vergisst es.
delete-failed = Discord hat { $n ->
        [one] eine Nachricht
       *[other] { $n } Nachrichten
    } dieser Antwort nicht gelöscht.
reply-not-theirs = Das dürfen nur, wer gefragt hat, und Betreiber.
hide-json-none = Diese Nachricht beginnt nicht mit JSON.
hide-json-line = JSON davor wurde ausgeblendet
hide-json-done = Das JSON davor ist ausgeblendet. Nichts wurde ausgeführt oder gespeichert; *What it said* zeigt es weiterhin.
hide-json-failed = Discord hat die Änderung nicht angenommen, also ist nichts ausgeblendet.

## Warum ein Modell nicht geantwortet hat

again-in-seconds = Versuch es in { $n } s noch einmal.
again-in-minutes = Versuch es in { $n } min noch einmal.
again-in-hours = Versuch es in { $n } h noch einmal.
# $again ist leer oder ein Satz mit einem Leerzeichen davor.
model-not-configured = Chat ist nicht eingerichtet: Es gibt kein Sprachmodell. Slash-Befehle funktionieren; `/help` zeigt sie.
model-busy = Das Sprachmodell hat gerade zu viele Fragen zu beantworten. Versuch es gleich noch einmal; Slash-Befehle funktionieren weiterhin.
model-unreachable = Das Sprachmodell ist nicht erreichbar. Slash-Befehle funktionieren weiterhin.
model-interrupted = Die Antwort des Sprachmodells brach mittendrin ab, deshalb wird sie nicht so gezeigt, als wäre sie vollständig. Frag noch einmal.
model-unavailable = Das Sprachmodell ist mehrmals hintereinander ausgefallen, deshalb werden ihm vorerst keine Anfragen geschickt.{ $again } Slash-Befehle funktionieren weiterhin.
model-timed-out = Das Sprachmodell hat nicht innerhalb von { $seconds } s geantwortet. Slash-Befehle funktionieren weiterhin.
model-unauthorized = Der Server des Sprachmodells hat den Schlüssel dieses Bots abgelehnt. Sein Betreiber muss `[model] key_file` prüfen.
model-forbidden = Der Server des Sprachmodells erlaubt diese Anfrage nicht: Dem Schlüssel fehlt ein Recht, oder der Anbieter sperrt sie. Der Betreiber kann nachlesen, warum.
model-unknown-model = Der Server des Sprachmodells kennt dieses Modell oder diese Adresse nicht. Der Betreiber muss `[model]` prüfen, oder wähl mit `/model` ein anderes.
model-redirected = Der Server des Sprachmodells leitet an eine andere Adresse weiter (Status { $status }), und dieser Bot folgt keiner Weiterleitung. Sein Betreiber muss `[model] base_url` prüfen.
model-rate-limited = Das Sprachmodell ist ausgelastet, oder sein Kontingent ist aufgebraucht.{ $again } Slash-Befehle funktionieren weiterhin.
model-overloaded = Der Server des Sprachmodells ist überlastet oder startet noch.{ $again } Slash-Befehle funktionieren weiterhin.
model-tools-unsupported = Das Sprachmodell unterstützt die Werkzeugaufrufe der API nicht. Der Betreiber muss `[model] tools = "text"` setzen.
model-context-too-long = Das Sprachmodell hat keinen Platz für diese Nachricht, auch ohne das Gespräch davor. Frag nach weniger auf einmal oder in weniger Worten.
model-refused = Der Server des Sprachmodells hat die Anfrage abgelehnt (Status { $status }). Der Betreiber kann nachlesen, warum.
model-server-error = Der Server des Sprachmodells hatte einen Fehler (Status { $status }). Slash-Befehle funktionieren weiterhin.
model-reported = Der Server des Sprachmodells hat anstelle einer Antwort einen Fehler gemeldet. Der Betreiber kann nachlesen, welchen.
model-empty = Das Sprachmodell hat eine leere Antwort geschickt. Das ist ein Fehler des Modells, keine Antwort.
model-cut-off = Das Sprachmodell erreichte seine Längengrenze, bevor es eine Antwort schrieb. Bitte um etwas Kürzeres.
model-unknown-end = Die Antwort des Sprachmodells endete aus unbekanntem Grund und ist vielleicht unvollständig, deshalb wird sie nicht gezeigt. Der Betreiber kann den Grund nachlesen.
model-filtered = Das Sprachmodell oder sein Anbieter hat die Antwort zurückgehalten. Frag mit anderen Worten oder nach etwas anderem.
model-tool-call = Das Sprachmodell wollte ein Werkzeug auf eine Weise aufrufen, die ihm nicht angeboten war. Dieser Aufruf wurde nicht ausgeführt.
model-too-many-calls = Das Sprachmodell wollte viel zu viele Befehle auf einmal. Keiner davon wurde ausgeführt.
model-lost-call = Das Sprachmodell wollte ein Werkzeug aufrufen, aber sein Server hat den Aufruf unterwegs verloren. Dieser Aufruf wurde nicht ausgeführt.
model-not-json = Der Server des Sprachmodells hat etwas geschickt, das keine Chat-Antwort ist. Der Betreiber kann nachlesen, was.
model-too-large = Der Server des Sprachmodells hat eine längere Antwort geschickt, als dieser Bot annimmt.

## Wie ein Gespräch ausging

turn-steps-spent = Das Sprachmodell kam in { $n } Schritten zu keiner Antwort, deshalb wurde es angehalten.
turn-no-such-tool = Das Sprachmodell rief immer wieder `{ $name }` auf, was es hier nicht aufrufen kann, deshalb wurde es angehalten. Nichts dieses Namens wurde ausgeführt.
turn-corrections-spent = Das Sprachmodell wollte immer wieder etwas, das es nicht gibt oder das nicht lesbar war. Nach { $n } Korrekturen wurde es angehalten.
turn-out-of-time = Das Sprachmodell kam innerhalb von { $seconds } s zu keiner Antwort, deshalb wurde es angehalten.
turn-no-room-for-results = Das Sprachmodell hat keinen Platz für das, was die Befehle geantwortet haben. Ihre Antworten stehen oben; frag nach weniger auf einmal.
turn-nothing-left = Das Sprachmodell schrieb keine Antwort, nur was wie ein Befehl oder dessen Antwort aussieht; es wurde herausgenommen.
turn-gave-up = Das Sprachmodell sagt, dass es das nicht kann, und nennt keinen Grund.
chat-store-unreadable = Chat geht gerade nicht: Dieser Bot kann seinen Speicher nicht lesen. An ein Sprachmodell wurde nichts geschickt.
chat-store-unwritable = Chat geht gerade nicht: Dieser Bot kann nicht in seinen Speicher schreiben. An ein Sprachmodell wurde nichts geschickt.
chat-too-many = Zu viele deiner Gespräche warten auf eine Antwort, deshalb ist mit dieser Nachricht nichts geschehen. Schick sie noch einmal, sobald eines beantwortet ist. Slash-Befehle funktionieren weiterhin.
chat-elsewhere = Deine letzte Nachricht wird noch beantwortet, von einem anderen Prozess dieses Bots. Mit dieser ist nichts geschehen: Schick sie noch einmal, sobald die Antwort da ist.
chat-too-much = Das ist mehr, als warten kann, während ich antworte: höchstens { $messages } Nachrichten und { $characters } Zeichen. Diese und die nächsten lasse ich aus, bis ich fertig bin.
chat-budget-person = Dein Chat-Kontingent für heute ist aufgebraucht. Es erneuert sich { $when }. Befehle funktionieren weiterhin.
chat-budget-guild = Das Chat-Kontingent dieses Servers für heute ist aufgebraucht. Es erneuert sich { $when }. Befehle funktionieren weiterhin.
chat-budget-place = Das Chat-Kontingent für diesen Ort ist für heute aufgebraucht. Es erneuert sich { $when }. Befehle funktionieren weiterhin.
chat-budget-bot = Das Chat-Kontingent dieses Bots für heute ist aufgebraucht. Es erneuert sich { $when }. Befehle funktionieren weiterhin.

## Was der Chat verbraucht hat

usage-title = Was der Chat heute verbraucht hat
usage-resets = Die Zählung beginnt { $when } von vorn. Die Token einer Antwort werden an ihrem Ende gezählt.
usage-you = Du
usage-server = Dieser Server
usage-place = `[chat.places."{ $id }"]`
usage-bot = Der ganze Bot
usage-largest = Am meisten verbraucht (höchstens { $n })
usage-tokens = Token: { $n }
usage-tokens-of = Token: { $n } von { $limit }
usage-estimated = { $n } davon geschätzt, weil der Server des Modells nicht zählt
usage-turns = Antworten: { $n }
usage-turns-of = Antworten: { $n } von { $limit }

## Unter einer Antwort des Sprachmodells

button-stop = Anhalten
button-go-on = Weiter
button-ask-again = Noch einmal fragen
stop-over = Diese Antwort wird nicht mehr geschrieben.
stop-not-theirs = Das dürfen nur die Person, die gefragt hat, und die Betreiber anhalten.
# Was *Weiter* dem Modell sagt, als Worte der Person.
go-on-words = Mach da weiter, wo deine letzte Antwort aufhörte. Wiederhole nicht, was du geschrieben hast.
# Was für die Worte einer Nachricht steht, die keine hat, mit der aber etwas kam, und für eine Erwähnung allein.
wordless-words = (Ich habe nichts geschrieben. Sieh dir an, was mit meiner Nachricht kam.)
mention-alone-words = (Ich habe dich ohne ein Wort erwähnt.)
go-on-before = Diese Antwort wurde schon fortgesetzt.
go-on-over = Das Gespräch ging inzwischen weiter, deshalb kann das Modell diese Antwort nicht fortsetzen. Frag noch einmal danach.
go-on-nothing = Unter dieser Antwort gibt es nichts fortzusetzen.

## Am Terminal

console-hint = `/help` zeigt die Befehle, Tab ergänzt sie. Strg-D, `exit` oder `quit` beendet.
console-leave = Strg-D, `exit` oder `quit` beendet.
console-line-too-long = Diese Zeile ist länger als 64 KiB, deshalb geschah damit nichts.
console-press = `/press { $n }` drückt Knopf { $n }.
console-choose = `/press { $n } 1` wählt den ersten Eintrag der Liste { $n }; sein Name geht ebenso.
console-pick = `/press { $n } ID` wählt in Liste { $n } mit der ID eines Kanals oder einer Rolle; mehrere IDs trennt ein Leerzeichen.
console-no-choice = Liste { $n } hat keinen Eintrag `{ $choice }`, daher geschah nichts. `/press { $n } 1` wählt den ersten.
console-no-button = Unter der letzten Antwort ist kein Knopf `{ $button }`, daher geschah nichts. `/press 1` drückt den ersten, und `/press` mit der Aufschrift geht ebenso.
console-run = ausführen? j/N
console-offer = { $command } ausführen? j/N
# Was außer `y` und `yes` noch Ja heißt.
console-yes = j ja
# Was außer `n` und `no` noch Nein heißt.
console-no = n nein

## `candor try`

# Was die Person einen Stellvertreter des Sprachmodells bittet, der dann den Befehl aufruft. $line ist der Befehl, wie er
# eingegeben wurde.
try-asks-model = Bitte führe das aus: { $line }
try-no-command = Das ist kein Befehl: { $line }. Ein Befehl beginnt mit einem Schrägstrich.
try-no-tool = Das kann kein Sprachmodell aufrufen: { $line }. Sein Manifest hat kein `tool`.
try-model-words = Hier würde ein Modell eigene Worte schreiben.
# $told ist JSON, wie ein Modell es liest.
try-model-told = was dem Modell gesagt wird: { $told }

## Auf Discord

interaction-entry-point = Der Befehl, der die Aktivität dieser App öffnet, ist nicht mehr in Gebrauch, deshalb ist nichts passiert. `/help` zeigt, was es gibt.
interaction-unknown-kind = Dieser Bot hat Slash-Befehle und Kontextmenü-Befehle. Was du gewählt hast, ist von anderer Art, deshalb ist nichts passiert. `/help` zeigt, was es gibt.
interaction-unknown = Diese Schaltfläche, dieses Formular oder dieser Kontextmenü-Befehl ist nicht mehr in Gebrauch, deshalb ist nichts passiert. `/help` zeigt, was es gibt.
interaction-unreadable = `{ $command }` war nicht lesbar, deshalb wurde der Befehl nicht ausgeführt. Lade Discord neu (Strg+R) und versuch es noch einmal.
closed-restarting = Dieser Bot startet gerade neu, deshalb { $what }. Versuch es gleich noch einmal.
closed-too-many = Zu viele deiner Nachrichten warten auf eine Antwort, deshalb { $what }. Versuch es gleich noch einmal.
closed-busy = Dieser Bot ist gerade ausgelastet, deshalb { $what }. Versuch es gleich noch einmal.
# Was nicht geschah, für die Mitte von `closed-restarting` und `closed-busy`.
closed-command = wurde `{ $command }` nicht ausgeführt
closed-message = blieb deine Nachricht unbeantwortet
closed-press = bewirkte dieser Klick nichts
closed-modal = bewirkte dieses Formular nichts

## Bedienelemente: Schaltflächen, Listen und Formulare unter Antworten, und Seiten

control-unknown = Diese Schaltfläche, diese Liste oder dieses Formular ist nicht mehr in Gebrauch, daher wurde nichts ausgeführt. Führe den Befehl erneut aus; `/help` zeigt, was es gibt.
control-forged = Diese Schaltfläche, diese Liste oder dieses Formular ist nicht von diesem Bot, daher wurde nichts ausgeführt. Führe den Befehl selbst aus; `/help` zeigt, was es gibt.
control-expired = Das ist abgelaufen, daher wurde nichts ausgeführt. Führe `{ $command }` erneut aus.
control-outdated = Das ist zu alt, daher wurde nichts ausgeführt. Führe den Befehl erneut aus; `/help` zeigt, was es gibt.
control-foreign = Das kann nur verwenden, wer gefragt hat, daher wurde nichts ausgeführt. Führe `{ $command }` selbst aus.
control-not-yours = Das kann nur entscheiden, wer gefragt hat.
control-gone = `{ $command }` gibt es nicht mehr, daher wurde nichts ausgeführt. `/help` zeigt, was es gibt.
control-used = Das geht nur einmal und wurde schon benutzt, deshalb wurde jetzt nichts ausgeführt. Führe `{ $command }` noch einmal aus.
control-stale = `{ $command }` wurde nicht ausgeführt: { $problem }. Der Befehl hat sich vielleicht geändert, seit das gezeigt wurde: führe ihn erneut aus.
modal-misfit = `{ $command }` wurde nicht ausgeführt: { $problem }. Öffne das Formular noch einmal und berichtige es.
modal-too-much = `{ $command }` wurde nicht ausgeführt: Die Optionen sind zu lang, um sie zu behalten, solange ein Formular offen ist. Gib auch { $options } als Optionen des Befehls an.
modal-not-here = `{ $command }` wurde nicht ausgeführt: es fehlt { $options }. Gib das als Optionen des Befehls an.
modal-unreadable = Dieses Formular konnte nicht gelesen werden, daher wurde nichts ausgeführt, und was du geschrieben hast, wurde nicht gespeichert. Lade Discord neu (Strg+R) und versuch es noch einmal.
page-of = Seite { $page } von { $pages }. Eine andere: `{ $command }`
page-previous = Zurück
page-next = Weiter
page-beyond = { $pages ->
    [one] Es gibt nur eine Seite.
   *[other] Es gibt { $pages } Seiten.
}

## /help, /clear und /model

context-shared = Alle in diesem Kanal teilen dieses Gespräch, jeder mit seinem Namen
context-title = Was das Sprachmodell jetzt zu sehen bekäme
context-model = Modell { $model }: { $n } Token insgesamt, davon { $answer } für seine Antwort
context-system = Systemtext, mit dem, was über dich gesagt wird: { $n } Token
context-told = über dich unter { $title }: { $n ->
    [one] 1 Eintrag
   *[other] { $n } Einträge
}
context-tools = { $n ->
    [0] Kein Befehl zum Aufrufen
    [one] 1 Befehl zum Aufrufen
   *[other] { $n } Befehle zum Aufrufen
}: { $tokens } Token
context-tools-in-text = { $n ->
    [one] 1 Befehl zum Aufrufen
   *[other] { $n } Befehle zum Aufrufen
}: Teil des Systemtextes
context-exchanges = { $n ->
    [0] Kein früherer Austausch
    [one] Der letzte Austausch
   *[other] Die letzten { $n } Austausche
}: { $tokens } Token
context-left-out = { $n ->
    [one] 1 älterer Austausch wird aufbewahrt und würde nicht gezeigt
   *[other] { $n } ältere Austausche werden aufbewahrt und würden nicht gezeigt
}
context-summary = { $n ->
    [one] Eine Zusammenfassung eines früheren Austauschs, vom Modell erzeugt und ihm als Daten gezeigt: { $tokens } Token
   *[other] Eine Zusammenfassung von { $n } früheren Austauschen, vom Modell erzeugt und ihm als Daten gezeigt: { $tokens } Token
}
context-room = Übrig für deine nächsten Worte, was mit ihnen kommt, und was Befehle antworten: { $n } Token
context-more = Token sind geschätzt. `/receipt reply` zählt auf, was das Modell für eine Antwort bekam; `/clear` vergisst dieses Gespräch.

help-title = Was dieser Bot kann
help-chat = Was du mir ohne Schrägstrich schreibst, geht an ein Sprachmodell, und seine Antwort ist als generiert gekennzeichnet.
help-no-chat = Es gibt keinen Chat: Kein Sprachmodell ist eingerichtet.
help-unknown = Es gibt keinen Befehl `{ $command }`.
help-unknown-near = Es gibt keinen Befehl `{ $command }`. Meintest du `{ $near }`?
help-user-menu = Im Kontextmenü eines Benutzers, unter Apps: { $commands }
help-message-menu = Im Kontextmenü einer Nachricht, unter Apps: { $commands }
clear-ended = Die Antwort, die gerade entstand, wurde beendet; Nachrichten, die auf sie warteten, werden nicht beantwortet.
clear-nothing = Es gab nichts zu vergessen: Dieses Gespräch hat keine Nachrichten.
clear-done = { $n ->
    [one] { $n } Nachricht dieses Gesprächs vergessen.
   *[other] { $n } Nachrichten dieses Gesprächs vergessen.
}
clear-part-nothing = Es gab nichts zu vergessen: In dem Gespräch, das alle in diesem Kanal teilen, hast du nichts gesagt.
clear-part-done = { $n ->
    [one] { $n } Nachricht vergessen: was du in dem Gespräch gesagt hast, das alle in diesem Kanal teilen, und die Antworten darauf.
   *[other] { $n } Nachrichten vergessen: was du in dem Gespräch gesagt hast, das alle in diesem Kanal teilen, und die Antworten darauf.
}
clear-part-others = Was andere gesagt haben, bleibt. Wer hier Nachrichten verwalten darf, kann alles löschen.
clear-shared-done = { $n ->
    [one] { $n } Nachricht des Gesprächs vergessen, das alle in diesem Kanal teilen, von allen.
   *[other] { $n } Nachrichten des Gesprächs vergessen, das alle in diesem Kanal teilen, von allen.
}
model-not-theirs = Alle in diesem Kanal teilen ein Gespräch. Sein Modell kann nur wählen, wer hier Nachrichten verwalten darf, deshalb hat sich nichts geändert.
model-title = Modelle dieses Gesprächs
model-in-use = in Gebrauch
model-tools-native = ruft Befehle auf
model-tools-text = ruft Befehle im Text auf
model-tools-none = ruft keine Befehle auf
model-tools-unknown = noch nicht benutzt
model-images = sieht Bilder
model-no-images = sieht keine Bilder
model-context = Kontext von { $n } Token
chat-stood-in = { $failed } konnte nicht antworten; `{ $model }` hat es getan.
model-none = Kein Sprachmodell ist eingerichtet. Der Betreiber richtet eines unter `[model]` in config.toml ein.
model-unknown = Dieses Modell gibt es nicht, deshalb hat sich nichts geändert. Eingerichtet: { $known }.
model-chosen = Dieses Gespräch benutzt jetzt `{ $name }`.

## /thread

thread-title = Gespräch mit { $person }
thread-owner = Ein Gespräch mit { $person }.
thread-opened = { $thread } ist eröffnet. Erwähne mich dort oder antworte mir: Er hat ein eigenes Gespräch.
thread-not-here = Hier gibt es keine Threads, deshalb wurde keiner eröffnet. Threads eröffnet man in den Textkanälen eines Servers, und nicht in anderen Threads.
thread-not-allowed = Du darfst hier keinen Thread eröffnen: Dafür braucht es die Berechtigungen „Öffentliche Threads erstellen“ und „Nachrichten in Threads senden“. Wähl den Befehl aus der Liste, die Discord zeigt, damit ich sehe, was du darfst. Nichts wurde eröffnet.
thread-forbidden = Ich darf hier keinen Thread eröffnen oder in keinem schreiben: Meiner Rolle fehlt „Kanal ansehen“, „Öffentliche Threads erstellen“ oder „Nachrichten in Threads senden“. Nichts wurde eröffnet.
thread-mute = { $why } Deshalb wurde kein Thread eröffnet.
thread-not-written = Ich habe dafür { $thread } eröffnet und konnte dort nicht schreiben, deshalb fehlt darin die Antwort. Vielleicht fehlt mir die Berechtigung „Nachrichten in Threads senden“.
thread-failed = Es ist nicht bekannt, ob der Thread eröffnet wurde: Sieh nach, bevor du es noch einmal versuchst.

## /receipt

receipt-title = Beleg { $id }
receipt-unknown = Von dir gibt es keinen Beleg `{ $id }`.
receipt-no-message = `{ $typed }` ist weder Link noch ID einer Nachricht. Klick die Antwort mit rechts an, wähl „Nachrichtenlink kopieren“ und gib den an.
receipt-no-turn = Diese Nachricht ist keine Chat-Antwort an dich, an die sich dieser Bot erinnert. Die Antwort eines Befehls nennt ihren Beleg: Gib den als `id` an.
receipt-none = Hier wurde noch kein Befehl von dir ausgeführt, und kein Sprachmodell hat dir hier geantwortet.
receipt-command = Befehl
receipt-arguments = Angaben
receipt-arguments-taken-out = aus dem Protokoll entfernt
receipt-arguments-none = keine
receipt-outcome = Ausgang
receipt-started = Begonnen
receipt-took = Dauer
receipt-called = Aufgerufen
receipt-by-model = vom Sprachmodell, in einem Gespräch
receipt-by-named-model = vom Sprachmodell { $model }, in einem Gespräch
receipt-by-confirmed-model = vom Sprachmodell { $model }, in einem Gespräch; du hast es bestätigt (Interaktion { $press })
receipt-by-recovery = von diesem Bot, aus dem, was das Sprachmodell nur vorgegeben hat
receipt-source = Quelle
receipt-code = Code
receipt-digest = Prüfsumme der Antwort
receipt-messages = Nachrichten
receipt-message-sent = { $channel }: gesendet
receipt-message-sent-directly = { $channel }: von Discord abgelehnt und als Direktnachricht gesendet
receipt-message-given-up = { $channel }: nicht gesendet und aufgegeben
receipt-message-waits = { $channel }: wartet darauf, gesendet zu werden
receipt-by-refresh = von diesem Bot, um eine laufende Nachricht aktuell zu halten
receipt-by-due = von diesem Bot, zu der Zeit, die verlangt war
receipt-by-event = von diesem Bot, weil etwas geschah
receipt-by-schedule = von diesem Bot, zu einer Zeit, die das Modul festlegt
receipts-title = Deine Belege hier
receipt-proof-button = Nachweis
receipt-proof = `{ $file }` ist der Nachweis für Beleg { $id }. Jeder kann ihn ohne den Bot mit dessen öffentlichem Schlüssel prüfen: `candor receipts verify { $file } --key { $key }`. In der Konsole gibt `candor receipts export --proof { $id }` den Nachweis aus.
receipt-key = Dieser Bot signiert seine Belege mit dem Schlüssel `{ $key }`, Fingerabdruck `{ $fingerprint }`. Damit kann jeder den Nachweis eines Belegs prüfen.
receipt-not-signed = Dieser Bot signiert seine Belege nicht. Deshalb gibt es für diesen Beleg keinen Nachweis.
receipts-head = Das signierte Ende der Belegkette dieses Bots. Bitte aufheben: `candor receipts verify --head DATEI` vergleicht die Kette damit.
receipts-none = Hier wurde noch kein Befehl von dir ausgeführt.
receipts-line = `{ $id }` · `{ $command }` · { $outcome } · { $clock } ({ $age })
receipts-older = Ältere werden nicht aufgezählt. `/privacy show` hat alle.
receipt-proof-of = `proof` geht mit `id`, oder allein für deinen letzten Befehl hier.
receipts-one-of = Gib nur eines von `id`, `reply` und `page` an.
outcome-answered = beantwortet
outcome-asked = gefragt, nichts getan
outcome-done = erledigt
outcome-refused = abgelehnt
outcome-failed = fehlgeschlagen
outcome-timed-out = nicht rechtzeitig fertig
outcome-interrupted = unterbrochen
outcome-unknown = unbekannt
turn-title = Gespräch { $id }
turn-route = Weg
turn-route-chat = Chat
turn-model = Modell
turn-model-tools = { $model }, Werkzeuge { $tools }
turn-offered = Angeboten
turn-given = Gegeben
turn-given-unknown = nicht festgehalten
given-system = der Systemtext
given-exchanges = { $n ->
    [0] kein früherer Austausch
    [one] 1 früherer Austausch
   *[other] { $n } frühere Austausche
}
given-summary = eine erzeugte Zusammenfassung
given-words = deine Worte
given-message = eine Nachricht von { $name }
given-file = die Datei { $name }
given-picture = das Bild { $name }
given-bytes = { $n ->
    [one] 1 Byte
   *[other] { $n } Bytes
}
given-cut = abgeschnitten nach { $n ->
    [one] 1 Byte
   *[other] { $n } Bytes
}
given-image = nicht gezeigt: ein Bild
given-gone = nicht gezeigt: gelöscht oder nicht für den Bot
given-unreadable = nicht gezeigt: kein Text
given-too-large = nicht gezeigt: zu groß
given-too-many-pixels = nicht gezeigt: zu viele Pixel
given-no-picture = nicht gezeigt: nicht als Bild lesbar
given-late = nicht gezeigt: es dauerte zu lange
given-no-room = nicht gezeigt: kein Platz dafür
given-too-many = nicht gezeigt: zu viele Dateien
given-changed = nicht gezeigt: nicht die angekündigte Datei
given-unreachable = nicht gezeigt: nicht abrufbar
turn-offered-nothing = nichts
turn-asked = Gefragt
turn-asked-times = { $steps ->
    [one] { $steps } Mal
   *[other] { $steps } Mal
}, { $corrections ->
    [one] { $corrections } Korrektur
   *[other] { $corrections } Korrekturen
}
turn-person = Person
turn-no-answer = Keine Antwort
turn-reasoning = Seine Gründe:
turn-called = Aufgerufen:
turn-result = antwortete
turn-called-nothing = Das Modell hat keinen Befehl aufgerufen.
turn-no-receipt = kein Beleg
turn-stripped = Aus seinen Worten herausgenommen:
turn-stripped-piece = { $kind }, { $n } Zeichen: { $text }
turn-mark = Vermerk unter der Antwort:
turn-notes = Anmerkungen unter der Antwort:
turn-more = und { $n } weitere
turn-nothing = (nichts)
turn-taken-out = Die Worte dieses Gesprächs wurden entfernt.
stripped-tool-text = ein als Text geschriebener Werkzeugaufruf
stripped-made-up-result = ein erfundenes Ergebnis

## /privacy

privacy-title = Was von dir aufbewahrt wird
privacy-shown = Die Datei enthält alles. `/privacy erase` löscht es. Darunter steht, wie viel es von jeder Art gibt und wie lange es aufbewahrt wird.
privacy-nothing = Von dir wird nichts aufbewahrt.
privacy-export = Auf Discord kommt mit dieser Antwort eine Datei, die alles enthält; hier schreibt sie `candor privacy export { $user } FILE`.
privacy-file-cut = Es gibt mehr, als die Datei fasst: Der Betreiber dieses Bots kann alles ausgeben.
privacy-kept-days = { $n ->
    [one] einen Tag aufbewahrt
   *[other] { $n } Tage aufbewahrt
}
privacy-kept-until-removed = aufbewahrt, bis es entfernt wird oder vorbei ist
privacy-erase-button = Endgültig löschen
privacy-erase-question = Das löscht, was dieser Bot von dir aufbewahrt, überall: Notizen, Gespräche, Protokolle von Chat-Antworten, Angaben und Antworten deiner Belege, gewählte Modelle, Wartezeiten, und was dort aufbewahrt wird, wo nur du diesen Bot benutzt hast. Das lässt sich nicht rückgängig machen. Belege bleiben, ohne Worte; ebenso, was du mit anderen geteilt hast, etwa Aufgaben, Dateien und Umfragen eines Servers. Wo es keine Schaltfläche gibt, tut es `/privacy erase confirm: true`.
privacy-erased = Das wurde gelöscht. Belege bleiben, ohne ihre Worte.
privacy-old-receipts = { $n ->
    [one] Ein Beleg behält seine Angaben, bis er entfernt wird: Er stammt aus der Zeit, als sie sich nicht herausnehmen ließen.
   *[other] { $n } Belege behalten ihre Angaben, bis sie entfernt werden: Sie stammen aus der Zeit, als sie sich nicht herausnehmen ließen.
}
privacy-erase-nothing = Es gab nichts zu löschen.
kept-receipts = Belege
kept-answers = Antworten für `/receipt`
kept-runs = Laufende Befehle
kept-cooldowns = Wartezeiten
kept-conversations = Chat-Nachrichten mit ihren Antworten
kept-models = Gewählte Modelle
kept-turns = Protokolle von Chat-Antworten
kept-spending = Chat-Verbrauch eines Tages
kept-live-messages = Live-Nachrichten
kept-due-calls = Aufrufe zu einer späteren Zeit, etwa Erinnerungen
kept-messages = Nachrichten von Befehlen an Kanäle
kept-records = Notizen, und was Befehle dort aufbewahren, wo du allein bist
kept-files = Dateien, wo du allein bist

## Live-Nachrichten von /status

live-on = live: alle { $seconds } s aktualisiert, bis { $until }
live-ended-time = live bis { $at }: länger lässt Discord die Antwort eines Befehls nicht ändern
live-ended-replaced = live bis { $at }: du hast eine andere gestartet
live-ended-crowded = live bis { $at }: seither wurden zu viele andere gestartet
live-ended-asked = live bis { $at }: sie wurde beendet
live-ended-leaving = live bis { $at }: dieser Bot startet neu
live-ended-unlisted = live bis { $at }: dieser Kanal ist keiner mehr für Live-Nachrichten
live-ended-denied = live bis { $at }: { $why }
live-left = wer sie begonnen hat, ist nicht mehr hier, oder der Bot sieht diesen Kanal nicht
live-channel-note = live: alle { $seconds } s aktualisiert
live-channel-on = Die Live-Nachricht dieses Kanals ist { $link }. Ein Betreiber beendet sie hier mit `{ $command } live: false`.
live-channel-has-one = Dieser Kanal hat schon eine Live-Nachricht. Ein Betreiber beendet sie hier mit `{ $command } live: false`.
live-channel-refused = nicht live: dieser Bot konnte in diesem Kanal keine Nachricht senden
live-store = nicht live: Dieser Bot kann seinen Speicher gerade nicht benutzen
live-stopped = Die Live-Nachricht ist beendet.
live-none = Du hast hier keine Live-Nachricht, die enden könnte.
live-operators-only = Nur ein Betreiber beendet die Live-Nachricht eines Kanals. Sie geht weiter.
live-picker-only = nicht live: wähle dafür `{ $command }` in der Befehlsliste von Discord

## Einstellungen eines Servers

settings-title = Einstellungen dieses Servers
settings-how = `/settings set` ändert einen Wert, `/settings clear` nimmt ihn zurück, und `/settings undo` macht die letzte Änderung rückgängig. Was der Betreiber dieses Bots festgelegt hat, hat Vorrang.
settings-nothing-allowed = Der Betreiber dieses Bots lässt Server nichts einstellen.
settings-in-channel = Für diesen Kanal, oder die Kategorie oder den Kanal, zu dem er gehört, hat der Betreiber anderes festgelegt: { $settings }.
settings-last-change = Letzte Änderung: `{ $setting }`, { $age } (Nummer { $number }, Beleg { $receipt }).
settings-chat = Chat
settings-chat-channels = Kanäle und Kategorien für den Chat
settings-chat-roles = Rollen, die chatten dürfen
settings-write-tools = Ob das Sprachmodell Änderungen zur Bestätigung vorschlagen darf
settings-persona = Persona des Sprachmodells
settings-model = Sprachmodell
settings-language = Sprache für Personen, deren eigene nicht bekannt ist
settings-commands = Abgeschaltete Befehle und Module
settings-cooldowns = Wie oft Befehle laufen dürfen
settings-cooldowns-button = Ändern, wie oft
settings-cooldowns-operators = Vom Betreiber, mit Vorrang: { $cooldowns }
settings-module-settings = Einstellungen von Modulen
settings-module-settings-button = Module einstellen
settings-module-settings-none = Kein Modul hat Einstellungen, die Server ändern können.
settings-module-channels = Kanäle, in die Module schreiben dürfen
settings-module-unfit = Für `{ $setting }` passt nur { $takes }. Geändert wurde nichts.
settings-unset = kein Wert
settings-of-module-unfit = auf diesem Server eingestellt, passt aber nicht mehr: { $takes }
settings-of-modules-more = … und { $n } weitere
settings-source-operator = vom Betreiber festgelegt
settings-source-server = auf diesem Server eingestellt
settings-source-vanished = auf diesem Server eingestellt, wird aber nicht mehr angeboten; benutzt wird die Vorgabe { $used }
settings-source-default = Vorgabe
settings-source-closed = Vorgabe; der Betreiber lässt Server das nicht einstellen
settings-none = leer
settings-not-shown = eigene Worte des Betreibers, die nicht gezeigt werden
settings-chat-on = Chat einschalten
settings-chat-off = Chat ausschalten
settings-persona-button = Persona ändern
settings-undo-button = { $setting } rückgängig (Nummer { $number })
settings-unknown = Eine Einstellung `{ $name }` gibt es nicht. Bekannt: { $known }.
settings-not-allowed = Der Betreiber dieses Bots lässt Server `{ $setting }` nicht einstellen. Nichts wurde geändert.
settings-by-operator = `{ $setting }` hat der Betreiber dieses Bots festgelegt, und das hat Vorrang vor den Einstellungen eines Servers. Nichts wurde geändert.
settings-by-operator-in-part = `{ $setting }` enthält, was der Betreiber dieses Bots festgelegt hat, und das hat Vorrang vor den Einstellungen eines Servers: { $what }. Nichts wurde geändert.
settings-unfit = `{ $setting }` { $what }. Nichts wurde geändert.
settings-same = `{ $setting }` ist schon { $now }. Nichts wurde geändert.
settings-changed = `{ $setting }` ist jetzt { $now }. Vorher: { $before }.
settings-still-offered = Discord zeigt weiterhin an, was hier abgeschaltet ist, und der Bot lehnt es ab. So wird es ausgeblendet: Servereinstellungen → Integrationen → dieser Bot.
settings-meanwhile = `{ $setting }` hat inzwischen jemand anders geändert, { $age } (Beleg { $receipt }). Jetzt gilt { $now }. Dieser Aufruf hat nichts geändert; um es trotzdem zu ändern, gib `at: { $at }` dazu.
settings-at-once = Jemand anders hat im selben Augenblick die Einstellungen dieses Servers geändert. Dieser Aufruf hat nichts geändert; sieh dir `/settings show` an und versuch es noch einmal.
settings-undo-nothing = Es gibt keine Änderung, die rückgängig zu machen wäre. Nichts wurde geändert.
settings-undone-already = Die Änderung Nummer { $at } wurde schon rückgängig gemacht. Nichts wurde geändert.
settings-undo-meanwhile = Nichts wurde rückgängig gemacht: `{ $setting }` wurde inzwischen geändert, { $age } (Beleg { $receipt }). Jetzt gilt { $now }. Um trotzdem die letzte Änderung rückgängig zu machen, die von `{ $last }`, schreib `/settings undo at: { $at }`.
# Jedes folgt auf den Namen einer Einstellung.
unfit-switch = muss `on` oder `off` sein
unfit-empty = braucht einen Wert, und dieser ist leer; `/settings clear` nimmt eine Einstellung zurück
unfit-channels = nimmt Kanäle und Kategorien, als Erwähnungen oder IDs: `#allgemein #hilfe`
unfit-roles = nimmt Rollen, als Erwähnungen oder IDs: `@Mitglieder`
unfit-too-many = nimmt höchstens { $max }
unfit-too-long = darf höchstens { $max } Zeichen haben; dies hat { $length }
unfit-model = muss eines von diesen sein: { $known }
unfit-language = muss eine von diesen sein: { $known }
unfit-command = nimmt Befehle und Module, durch Kommas getrennt, und `{ $name }` gibt es nicht
unfit-command-near = nimmt Befehle und Module, durch Kommas getrennt, und `{ $name }` gibt es nicht. Meintest du `{ $near }`?
unfit-stays = kann `{ $command }` nicht abschalten; das muss bleiben
unfit-cooldowns = nimmt Befehle mit je einer Zeit, von keiner bis 24 h, und jeden einmal: `/tasks add 30s, /poll 5m channel, /memory 1h server`
unfit-cooldown-of = nimmt Befehle mit je einer Zeit, und einen Befehl `{ $name }` gibt es nicht
unfit-cooldown-of-near = nimmt Befehle mit je einer Zeit, und einen Befehl `{ $name }` gibt es nicht. Meintest du `{ $near }`?
unfit-waits = kann auf `{ $command }` niemanden warten lassen
unfit-module-settings = nimmt Einstellungen von Modulen mit je einem Wert, jede einmal: `welcome.hint = Sag hallo; dice.sides = 6`. Ein Wert mit `;` darin steht in doppelten Anführungszeichen
unfit-module-setting = nimmt Einstellungen von Modulen, und `{ $name }` ist keine, die Server ändern können
unfit-module-setting-near = nimmt Einstellungen von Modulen, und `{ $name }` ist keine, die Server ändern können. Meintest du `{ $near }`?
unfit-module-channels = nimmt Module mit ihren Kanälen, jedes Modul einmal: `alerts = #ops #dev; feed = #news`
unfit-channels-of-module = nimmt Module, die von selbst etwas sagen, und `{ $name }` ist keines davon
unfit-channels-of-module-near = nimmt Module, die von selbst etwas sagen, und `{ $name }` ist keines davon. Meintest du `{ $near }`?

## Was eine Einstellung eines Moduls nimmt. Jedes steht am Ende eines Satzes.

setting-takes-text = ein Text mit höchstens { $max } Bytes, der nicht leer ist
setting-takes-one-of = eines von { $choices }
setting-takes-whole = eine ganze Zahl
setting-takes-number = eine Zahl
# Vorn steht ein Leerzeichen.
setting-takes-from = {" "}ab { $min }
setting-takes-up-to = {" "}bis { $max }
setting-takes-between = {" "}von { $min } bis { $max }
setting-takes-switch = true oder false
setting-takes-secret = der Name einer Datei mit dem Geheimnis
