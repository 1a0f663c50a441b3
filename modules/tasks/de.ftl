# Was /tasks sagt.

title = Aufgaben
no-title = Eine Aufgabe braucht einen Titel, und dieser enthält nichts Lesbares.
added = Aufgabe { $id } hinzugefügt: { $title }
full = Die Liste ist voll: Sie hat { $max } Aufgaben, die erledigten eingeschlossen, daher wurde nichts hinzugefügt. `/tasks list` zeigt ihre Nummern, und `/tasks remove` schafft Platz.
nothing-open = Nichts ist offen. `/tasks add` fügt eine Aufgabe hinzu.
open = { $n } offen
done-ones = Erledigt: { $n } ({ $numbers })
done = Erledigt: Aufgabe { $id }, { $title }
done-already = Aufgabe { $id } war schon erledigt: { $title }. `/tasks list` zeigt, was offen ist.
removed = Aufgabe { $id } entfernt: { $title }
unknown = Hier gibt es keine Aufgabe { $id }. `/tasks list` zeigt, was offen ist.
