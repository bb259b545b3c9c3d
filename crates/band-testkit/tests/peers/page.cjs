// A person at the page, in a real browser. The first word names what they do; the environment has the link.
"use strict";

const assert = require("node:assert/strict");
const path = require("node:path");
const { chromium } = require("playwright-core");

const PATIENCE = 20_000;
const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

const link = process.env.PEER_LINK;
const origin = new URL(link).origin;
const pictures = process.env.BAND_PICTURES;

const say = (step) => process.stdout.write(`done: ${step}\n`);

// A window of its own: cookies, complaints and foreign requests are kept apart.
async function open(browser, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  context.setDefaultTimeout(PATIENCE);
  const page = await context.newPage();
  const complaints = [];
  page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("request", (request) => {
    const { protocol, origin: asked } = new URL(request.url());
    if (protocol.startsWith("http") && asked !== origin) complaints.push(`a request to ${asked}`);
  });
  return { context, page, complaints };
}

const id = (page, testid) => page.getByTestId(testid);

async function signIn(page) {
  await page.goto(link);
  await id(page, "app").waitFor();
  assert.equal(new URL(page.url()).hash.includes("token"), false, "the token has left the address");
}

const answer = (page, text) =>
  page.locator('[data-testid="message"]:not(.own)').filter({ hasText: text }).first().waitFor();

async function write(page, text) {
  await id(page, "composer-input").fill(text);
  await page.keyboard.press("Enter");
}

async function picture(page, name) {
  if (pictures) await page.screenshot({ path: path.join(pictures, name) });
}

// Signs in by the link, mentions the agent by completion, and sees its work and its answer arrive.
async function mention(browser) {
  const { page, complaints } = await open(browser);
  await signIn(page);
  say("signed in");
  await page.evaluate(() => (window.notReloaded = true));

  await id(page, "composer-input").click();
  await page.keyboard.type("@ec");
  await id(page, "suggestion").first().waitFor();
  await page.keyboard.press("Enter");
  await page.keyboard.type("is anybody home?");
  await page.keyboard.press("Enter");
  await answer(page, "echo: is anybody home?");
  say("the answer arrived");

  await write(page, "[[sleep:1500]] take your time");
  await id(page, "working").filter({ hasText: "is working" }).waitFor();
  await answer(page, "take your time");
  await id(page, "working").filter({ hasNotText: "is working" }).waitFor({ state: "attached" });
  say("the work was shown");

  await page.locator('[data-testid="delivery"][data-state="processed"]').nth(1).waitFor();
  assert.equal(await page.evaluate(() => window.notReloaded), true, "the page was not reloaded");
  await picture(page, "page.png");
  await page.emulateMedia({ colorScheme: "dark", reducedMotion: "reduce" });
  await picture(page, "page-dark.png");
  await page.setViewportSize({ width: 390, height: 780 });
  await id(page, "open-rooms").click();
  await id(page, "room-link").first().waitFor();
  await picture(page, "page-narrow-rooms.png");
  await page.keyboard.press("Escape");
  await page.waitForFunction(() => document.getElementById("rooms-panel").getBoundingClientRect().right <= 0);
  const sideways = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  assert.ok(sideways <= 0, `a narrow screen scrolls sideways by ${sideways} pixels`);
  await picture(page, "page-narrow.png");
  assert.deepEqual(complaints, []);
}

// Makes a room, brings the agent in, and talks to it there, with the keyboard alone.
async function rooms(browser) {
  const { page, complaints } = await open(browser);
  await signIn(page);
  await id(page, "new-room").focus();
  await page.keyboard.press("Enter");
  await page.keyboard.type("Garden");
  await page.keyboard.press("Enter");
  await id(page, "room-title").filter({ hasText: "Garden" }).waitFor();
  say("the room is made");

  await id(page, "add-agent").focus();
  await page.keyboard.press("Enter");
  await id(page, "add-this-agent").first().focus();
  await page.keyboard.press("Enter");
  await id(page, "add-this-agent").first().filter({ hasText: "Added" }).waitFor();
  await page.keyboard.press("Escape");
  await id(page, "participant").nth(1).waitFor();
  say("the agent is in");

  await write(page, "anybody here?");
  await answer(page, "echo: anybody here?");
  say("it answers there");
  assert.deepEqual(complaints, []);
}

// Registers an agent: the key is shown once, with the lines to paste.
async function register(browser) {
  const { page, complaints } = await open(browser);
  await signIn(page);
  await id(page, "register-agent").click();
  await id(page, "agent-name").fill("Gardener");
  await id(page, "agent-description").fill("Knows all about the garden.");
  await id(page, "dialog-submit").click();
  const lines = await id(page, "credentials").textContent();
  for (const name of ["BAND_AGENT_ID", "BAND_API_KEY", "BAND_REST_URL", "BAND_WS_URL"]) {
    assert.match(lines, new RegExp(`${name}=`), `${name} is in the lines`);
  }
  process.stdout.write(`credentials: ${JSON.stringify(lines)}\n`);
  await id(page, "credentials-done").click();
  await id(page, "credentials").waitFor({ state: "detached" });
  say("registered");
  assert.deepEqual(complaints, []);
}

// A link works once; signing out ends the session for good.
async function link_once(browser) {
  const first = await open(browser);
  await signIn(first.page);
  const cookies = await first.context.cookies();
  const session = cookies.find(({ name }) => name === "band_session");
  assert.ok(session?.httpOnly, "the session's cookie is out of scripts' reach");
  assert.equal(session.sameSite, "Strict");

  const second = await open(browser);
  await second.page.goto(link);
  await second.page.locator('[data-testid="gate"][data-state="link"]').waitFor();
  say("the link works once");

  await first.page.reload();
  await id(first.page, "app").waitFor();
  say("the session outlives a reload");
  await id(first.page, "sign-out").click();
  await id(first.page, "gate").waitFor();
  await first.page.reload();
  await id(first.page, "gate").waitFor();
  await first.page.locator('[data-testid="gate"][data-state="no-link"]').waitFor();
  say("signed out");
}

const SCENES = { mention, rooms, register, link_once };

async function main() {
  const scene = SCENES[process.argv[2]];
  assert.ok(scene, `no scene ${process.argv[2]}`);
  const browser = await chromium.launch({ executablePath: process.env.PEER_CHROMIUM, args: FLAGS });
  try {
    await scene(browser);
  } finally {
    await browser.close();
  }
}

main().then(
  () => process.exit(0),
  (error) => {
    process.stderr.write(`${error.stack ?? error}\n`);
    process.exit(1);
  },
);
