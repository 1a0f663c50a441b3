// Looks at the operator's page in Chromium: dark and light, on a phone and on a desk, with the keyboard alone.
//
//   node look.mjs FOLDER_OF_PLAYWRIGHT ADDRESS
//
// Screenshots go to target/page. Ends with 1 and a sentence if something is not as it should be.
import { mkdirSync } from "node:fs";
import { createRequire } from "node:module";

const [folder, address] = process.argv.slice(2);
const { chromium } = createRequire(`${folder}/`)("playwright-core");
const pictures = new URL("../../target/page/", import.meta.url).pathname;
mkdirSync(pictures, { recursive: true });

const must = (holds, what) => {
  if (!holds) throw new Error(what);
};

// Goes on by Tab to what this selector finds.
const tabTo = async (page, selector) => {
  for (let n = 0; n < 60; n += 1) {
    await page.keyboard.press("Tab");
    if (await page.evaluate((wanted) => document.activeElement.matches(wanted), selector)) return;
  }
  throw new Error(`the keyboard does not reach ${selector}`);
};

// The worst contrast of a text with what stands behind it, and that text. See WCAG 2.2, "contrast ratio".
const worstContrast = () => {
  const parts = (colour) => (colour.match(/[\d.]+/g) ?? []).map(Number);
  const luminance = ([red, green, blue]) => {
    const [r, g, b] = [red, green, blue].map((part) => {
      const share = part / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const colour = parts(getComputedStyle(at).backgroundColor);
      if (colour.length === 3 || colour[3] === 1) return colour;
    }
    return [255, 255, 255];
  };
  let worst = [21, ""];
  for (const element of document.querySelectorAll("body *")) {
    const hasText = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
    if (!hasText || element.closest("option")) continue;
    const [one, other] = [luminance(parts(getComputedStyle(element).color)), luminance(behind(element))];
    const contrast = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
    if (contrast < worst[0]) worst = [contrast, element.textContent.trim().slice(0, 60)];
  }
  return worst;
};

const look = async (browser, colorScheme, width) => {
  const screen = `${colorScheme} ${width}`;
  const context = await browser.newContext({ colorScheme, viewport: { width, height: 800 } });
  const page = await context.newPage();
  const wrong = [];
  page.on("console", (line) => ["error", "warning"].includes(line.type()) && wrong.push(line.text()));
  page.on("pageerror", (problem) => wrong.push(String(problem)));
  page.on("request", (request) => request.url().startsWith(address) || wrong.push(`asks for ${request.url()}`));

  await page.goto(address);
  must((await page.title()) === "Candor", `${screen}: another title`);
  await page.keyboard.press("Tab");
  must(await page.evaluate(() => document.activeElement.matches(".skip")), `${screen}: no way past the head`);
  await tabTo(page, "#text");
  await page.keyboard.type("/nosuch <b>");
  await page.keyboard.press("Tab");
  await page.keyboard.type("server, m");
  await tabTo(page, "button");
  await Promise.all([page.waitForNavigation(), page.keyboard.press("Enter")]);

  const found = await page.locator(".found").innerText();
  must(found.includes("unknown-command") && found.includes("/nosuch"), `${screen}: the simulator says ${found}`);
  must((await page.locator("#text").inputValue()) === "/nosuch <b>", `${screen}: the text is gone`);
  must((await page.locator("#at").inputValue()) === "mention", `${screen}: the place is gone`);
  must((await page.locator("script, b, i").count()) === 0, `${screen}: text became markup`);
  const [scrolled, seen] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
  must(scrolled <= seen, `${screen}: ${scrolled} px wide on ${seen} px`);
  const [contrast, text] = await page.evaluate(worstContrast);
  must(4.5 <= contrast, `${screen}: contrast ${contrast.toFixed(2)} of "${text}"`);
  // A finding opens and closes, and a link of the page goes where it says.
  const summary = page.locator("summary").first();
  const isOpen = () => page.locator("details").first().evaluate((details) => details.open);
  const before = await isOpen();
  await summary.focus();
  await page.keyboard.press("Enter");
  must((await isOpen()) !== before, `${screen}: a finding does not open and close`);
  if (before) await page.keyboard.press("Enter");
  await page.locator("nav a", { hasText: "Modules" }).focus();
  await page.keyboard.press("Enter");
  must(new URL(page.url()).hash === "#modules", `${screen}: the link leads to ${page.url()}`);
  must(wrong.length === 0, `${screen}: ${wrong.join("; ")}`);
  await page.evaluate(() => scrollTo(0, 0));
  await page.screenshot({ path: `${pictures}${colorScheme}-${width}.png`, fullPage: true });
  await context.close();
};

const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });
try {
  let n = 0;
  for (const scheme of ["light", "dark"]) {
    for (const width of [360, 1280]) {
      await look(browser, scheme, width);
      n += 1;
    }
  }
  console.log(`looked at ${n} screens`);
} finally {
  await browser.close();
}
