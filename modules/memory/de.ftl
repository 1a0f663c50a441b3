# Was /memory sagt.

title = Deine Notizen
kind = { $kind ->
    [journal] Tagebuch
    [preference] Vorliebe
    [task] Aufgabe
   *[fact] Tatsache
}
nothing-readable = Das enthält nichts Lesbares, daher wurde nichts gespeichert.
saved = Notiz gespeichert: { $memory }
full = Du hast hier { $max } Notizen, mehr geht nicht, daher wurde nichts gespeichert. `/memory list` zeigt ihre Nummern, und `/memory forget` schafft Platz.
told = das Sprachmodell erfährt sie hier
not-told = das Sprachmodell erfährt sie hier nicht
count = { $n ->
    [one] 1 Notiz
   *[other] { $n } Notizen
}
none = Über dich ist hier nichts gespeichert.
none-of-kind = Über dich ist hier nichts von der Art { $kind } gespeichert.
choose-kind = Nur eine Art
unknown = Du hast hier keine Notiz { $id }. `/memory list` zeigt sie.
forgot = Notiz { $id } ({ $kind }) vergessen. Ihre Worte werden auch aus deinen Belegen und aus den Protokollen deiner Chat-Antworten entfernt; `/clear` vergisst ein Gespräch.
private-place = Hier erfährt das Sprachmodell deine Notizen: Niemand sonst liest seine Antworten.
shared = Auf diesem Server erfährt das Sprachmodell jetzt deine Notizen. Andere können seine Antworten lesen.
not-shared = Auf diesem Server erfährt das Sprachmodell keine deiner Notizen.
