// Shows the state that /events sends, and sends what the buttons ask for to /actions.
"use strict";

const by_id = (id) => document.getElementById(id);
const shown_waiters = 50;
// The server sends something at least every 2 seconds.
const silence_limit = 6000;

// Sets text only where it differs: screen readers announce changes.
function write(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

function counted(count, one, several) {
  return count === 1 ? `1 ${one}` : `${count} ${several}`;
}

async function act(request) {
  try {
    const response = await fetch("/actions", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(request),
    });
    show_problem(response.ok ? "" : (await response.json()).error);
  } catch {
    show_problem("The shop does not answer. Is the program still running?");
  }
}

function show_problem(text) {
  write(by_id("problem"), text);
  by_id("problem").hidden = text === "";
}

function show_connection(state, text) {
  by_id("connection").dataset.state = state;
  write(by_id("connection"), text);
  document.querySelector("main").classList.toggle("stale", state === "lost");
}

function show_stock(stock, waiting) {
  write(by_id("left"), String(stock.left));
  write(by_id("tickets"), String(stock.tickets));
  write(by_id("sold"), String(stock.sold));
  write(by_id("oversold"), String(stock.oversold));
  by_id("oversold-box").classList.toggle("bad", stock.oversold > 0);
  write(by_id("waiting"), String(waiting));
  by_id("oversold-note").hidden = stock.oversold === 0;
  write(by_id("oversold-note"), `${stock.sold} tickets are sold of ${stock.tickets}. Servers read `
    + "the same number of tickets that are left, and each wrote back one less: all but one of these "
    + "updates were lost.");
}

function name_of(entry) {
  return entry.server ? `Server ${entry.server}` : `Another program (${entry.identity})`;
}

function show_holder(entry, state) {
  const box = by_id("holder");
  box.dataset.server = entry ? entry.server : "";
  by_id("holder-token").hidden = !entry;
  if (!entry) {
    write(by_id("holder-name"), state.lock ? "The lock is free" : "The lock is off");
    write(by_id("holder-note"), state.lock
      ? "It is granted at once to the first server that asks."
      : "Servers sell at the same time, and do not know of each other.");
    return;
  }
  write(by_id("holder-name"), `${name_of(entry)} holds the lock`);
  write(by_id("holder-token"), `fencing token ${entry.token}`);
  const server = state.servers.find((each) => each.name === entry.server);
  let note = "and sells a ticket.";
  if (entry.former) note = "but its process is dead: its session runs out.";
  else if (server?.state === "paused") note = "but it is paused: its session runs out.";
  else if (!state.lock) note = "for a buyer who came before the lock was off.";
  write(by_id("holder-note"), note);
}

function new_chip(entry) {
  const chip = document.createElement("li");
  chip.dataset.node = entry.node;
  chip.dataset.server = entry.server;
  chip.append(entry.server || "?");
  const token = document.createElement("small");
  token.textContent = entry.token;
  chip.append(token);
  chip.title = `${name_of(entry)}, token ${entry.token}, session ${entry.session}`
    + (entry.former ? "; its process is dead, or its session has ended" : "");
  return chip;
}

// Keeps the chips of the entries that are still in line, so that only new ones move in.
function show_line(waiters) {
  const line = by_id("line");
  const chips = new Map([...line.children].map((chip) => [chip.dataset.node, chip]));
  const shown = waiters.slice(0, shown_waiters).map((entry) => {
    const chip = chips.get(entry.node) ?? new_chip(entry);
    chip.classList.toggle("former", entry.former);
    return chip;
  });
  for (const chip of [...line.children]) if (!shown.includes(chip)) chip.remove();
  shown.forEach((chip, at) => {
    if (line.children[at] !== chip) line.insertBefore(chip, line.children[at] ?? null);
  });
  by_id("more").hidden = waiters.length === shown.length;
  write(by_id("more"), `and ${waiters.length - shown.length} more`);
  write(by_id("queue-count"), counted(waiters.length, "waiter", "waiters"));
}

// The buyers of a dead server have failed, while its entries stay.
function show_notes(state) {
  by_id("lock-note").hidden = state.lock || state.queue.length === 0;
  const former = state.queue.filter((entry) => entry.former).length;
  by_id("former-note").hidden = former === 0;
  write(by_id("former-note"), `Dashed: ${counted(former, "entry", "entries")} of a dead process or `
    + "an ended session. No buyer waits for them; ZooKeeper deletes them when the session ends.");
}

function new_server(server) {
  const card = by_id("server-template").content.firstElementChild.cloneNode(true);
  const name = server.name;
  card.id = `server-${name}`;
  card.dataset.server = name;
  card.setAttribute("aria-label", `Server ${name}`);
  write(card.querySelector(".badge"), name);
  write(card.querySelector(".name"), `Server ${name}`);
  const press = (selector, action) =>
    card.querySelector(selector).addEventListener("click", () => act({ action: action(), server: name }));
  press(".pause", () => (card.dataset.state === "paused" ? "continue" : "pause"));
  press(".kill", () => (card.dataset.state === "dead" ? "start" : "kill"));
  press(".expire", () => "expire");
  by_id("servers").append(card);
  return card;
}

function role_of(server, own, state) {
  const waits = own.filter((entry) => !entry.holds).length;
  const holds = own.some((entry) => entry.holds);
  const waiting = counted(waits, "waiter", "waiters");
  if (holds) return `Holds the lock; ${waiting}`;
  if (waits > 0) return `${waiting} in line`;
  if (server.state === "paused") return "Not in line; its buyers wait until it continues";
  return state.lock || server.state !== "running" ? "Not in line" : "Sells without the lock";
}

function show_server(server, state) {
  const card = by_id(`server-${server.name}`) ?? new_server(server);
  const own = state.queue.filter((entry) => entry.server === server.name);
  card.dataset.state = server.state;
  card.classList.toggle("holds", own.some((entry) => entry.holds));
  write(card.querySelector(".state"), server.state);
  write(card.querySelector(".role"), role_of(server, own, state));
  write(card.querySelector(".process"), `Process ${server.process}`);
  write(card.querySelector(".session"), server.session ? `Session ${server.session}` : "No session");
  const pause = card.querySelector(".pause");
  write(pause, server.state === "paused" ? "Continue" : "Pause");
  pause.disabled = server.state === "dead";
  write(card.querySelector(".kill"), server.state === "dead" ? "Start again" : "Kill");
  const expire = card.querySelector(".expire");
  expire.disabled = !state.can_expire || server.session === "";
  if (!state.can_expire) expire.setAttribute("aria-describedby", "no-expire");
}

function show_log(events) {
  const log = by_id("log");
  const newest = Number(log.firstElementChild?.dataset.number ?? 0);
  // A page that stayed open while the program was started again begins anew.
  if (events.length === 0 || events[0].number < newest) log.replaceChildren();
  const known = Number(log.firstElementChild?.dataset.number ?? 0);
  for (const event of events.filter((each) => each.number > known).reverse()) {
    const line = document.createElement("li");
    line.dataset.number = event.number;
    const time = document.createElement("time");
    const when = new Date(event.time);
    time.dateTime = when.toISOString();
    time.textContent = when.toLocaleTimeString("en-GB");
    line.append(time, event.text);
    log.prepend(line);
  }
  while (log.children.length > events.length) log.lastElementChild.remove();
}

function show(state) {
  if (state.stock) show_stock(state.stock, state.waiting);
  const holder = state.queue.find((entry) => entry.holds);
  show_holder(holder, state);
  show_line(state.queue.filter((entry) => !entry.holds));
  show_notes(state);
  for (const server of state.servers) show_server(server, state);
  show_log(state.log);
  by_id("lock").checked = state.lock;
  write(by_id("restock"), `New stock of ${state.tickets}`);
  show_work(String(state.work_ms));
  by_id("no-expire").hidden = state.can_expire;
  if (state.trouble) show_connection("lost", state.trouble);
  else show_connection("live", "Live");
}

function show_work(value) {
  const select = by_id("work");
  if (![...select.options].some((option) => option.value === value))
    select.add(new Option(`${value} ms`, value));
  if (document.activeElement !== select) select.value = value;
}

function show_interrupted() {
  show_connection("lost", "Connection interrupted. Trying again…");
}

let source;
let silence;

function heard() {
  clearTimeout(silence);
  silence = setTimeout(() => {
    show_interrupted();
    connect();
  }, silence_limit);
}

// EventSource tries again by itself after most failures; this also covers a silent connection.
function connect() {
  source?.close();
  source = new EventSource("/events");
  source.addEventListener("message", (event) => {
    heard();
    show(JSON.parse(event.data));
  });
  source.addEventListener("beat", heard);
  source.addEventListener("error", show_interrupted);
  heard();
}

by_id("buy").addEventListener("click", () => act({ action: "buy", count: 1 }));
by_id("buy-100").addEventListener("click", () => act({ action: "buy", count: 100 }));
by_id("restock").addEventListener("click", () => act({ action: "restock" }));
by_id("lock").addEventListener("change", (event) =>
  act({ action: "lock", on: event.target.checked }));
by_id("work").addEventListener("change", (event) =>
  act({ action: "work", ms: Number(event.target.value) }));
connect();
