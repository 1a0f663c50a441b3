"use strict";
// Reloads the page when something has happened, unless something was filled in or opened here.
let isTouched = false;
for (const name of ["input", "submit", "toggle"]) {
  document.addEventListener(name, () => { isTouched = true; }, true);
}
setInterval(async () => {
  const answer = await fetch("/page/state").catch(() => null);
  if (!answer || !answer.ok || (await answer.text()) === document.body.dataset.state) return;
  if (isTouched) document.getElementById("news").hidden = false;
  else location.reload();
}, 1000);
