# Was /poll sagt.

title = Umfrage { $id }
votes = { $n ->
    [one] 1 Stimme
   *[other] { $n } Stimmen
}
open = offen
closed = geschlossen
lasting = Offen bis { $until }: { $votes }
how = Drück auf eine Antwort, um abzustimmen, auf eine andere, um die Stimme zu verschieben, auf dieselbe, um sie zurückzunehmen. Ende: { $ahead }.
how-more = `/poll show id: { $id }` zeigt die Umfrage noch einmal, `/poll close id: { $id }` beendet sie.
won = Die meisten Stimmen: { $answers }
nobody = Niemand hat abgestimmt.
no-question = Eine Umfrage braucht eine Frage, und diese enthält nichts Lesbares.
few-answers = Eine Umfrage braucht 2 bis { $max } Antworten, und du hast { $n } gegeben: Trenne sie mit `;` oder `|`, etwa `Tee; Kaffee`.
many-answers = Eine Umfrage braucht 2 bis { $max } Antworten, und du hast { $n } gegeben.
same-answers = Jede Antwort gibt es nur einmal, aber { $answer } steht zweimal da.
long-answer = Eine Antwort hat höchstens { $max } Zeichen. Diese ist länger: { $answer }
no-duration = { $typed } ist keine Dauer. Schreib sie wie `30m`, `6h` oder `3d`.
capital-m = { $typed } ist keine Dauer: `M` kann Minuten oder Monate heißen. Schreib `m` für Minuten, etwa `30m`.
too-long = Eine Umfrage ist mindestens eine Minute und höchstens { $days } Tage offen.
console = Umfragen gibt es nur auf Discord, daher wurde von hier keine gestartet.
full = Hier sind { $max } Umfragen offen, mehr geht nicht, daher kam keine dazu. `/poll close` schafft Platz.
share = Du hast hier { $max } offene Umfragen, mehr geht nicht, daher kam keine dazu: { $ids }. `/poll close id:` beendet eine von deinen und schafft Platz.
full-of-person = Du hast so viele offene Umfragen, wie es geht, daher kam keine dazu. `/poll close` schafft Platz.
full-of-votes = Diese Umfrage hat { $max } Stimmen, mehr geht nicht, daher wurde deine nicht gezählt.
unknown = Hier gibt es keine Umfrage { $id }.
no-answer = Umfrage { $id } hat { $n } Antworten.
vote-closed = Umfrage { $id } ist geschlossen, daher hat das nichts geändert. `/poll show id: { $id }` zeigt das Ergebnis.
closed-already = Umfrage { $id } ist schon geschlossen. `/poll show id: { $id }` zeigt das Ergebnis.
not-yours = Umfrage { $id } kann nur schließen, wer sie gestellt hat oder das Recht „Nachrichten verwalten“ hat.
