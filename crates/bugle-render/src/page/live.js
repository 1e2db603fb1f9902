// Brings the page up to date when the store has changed: the server says that something did, and the page is fetched
// anew and put in place of the old one. Whoever reads without scripts reloads instead.

const MAIN = "main";
const status = document.getElementById("live");
const FIRST_WAIT = 1000;
const LONGEST_WAIT = 30000;
// Many changes in a row are shown together.
const BREATH = 300;

let wait = FIRST_WAIT;
let source = null;
let refreshing = false;
let again = false;
let timer = 0;

function say(words) {
  if (status.textContent !== words) status.textContent = words;
}

// What a person has typed, opened and scrolled to is theirs: it is taken from the old page and given to the new one.
function remember(root) {
  const kept = { fields: new Map(), open: new Map(), scroll: new Map(), focus: null };
  for (const field of root.querySelectorAll("textarea, input:not([type=hidden]), select")) {
    const changed = field.tagName === "SELECT"
      ? [...field.options].some((option) => option.selected !== option.defaultSelected)
      : field.value !== field.defaultValue;
    if (field.id && changed) kept.fields.set(field.id, field.value);
  }
  for (const details of root.querySelectorAll("details[id]")) kept.open.set(details.id, details.open);
  for (const box of root.querySelectorAll(".scroll[id], .text[id]")) {
    kept.scroll.set(box.id, [box.scrollLeft, box.scrollTop]);
  }
  const active = document.activeElement;
  if (active && root.contains(active)) {
    const text = active.tagName === "TEXTAREA";
    kept.focus = {
      path: pathOf(active, root),
      id: active.id,
      from: text ? active.selectionStart : null,
      to: text ? active.selectionEnd : null,
    };
  }
  return kept;
}

// Where an element without an id stands, by the address it leads to.
function pathOf(element, root) {
  const href = element.getAttribute("href");
  if (!href) return null;
  const same = [...root.querySelectorAll("a")].filter((link) => link.getAttribute("href") === href);
  return [href, same.indexOf(element)];
}

function restore(root, kept) {
  for (const [id, value] of kept.fields) {
    const field = document.getElementById(id);
    if (field && root.contains(field)) field.value = value;
  }
  for (const [id, open] of kept.open) {
    const details = document.getElementById(id);
    if (details && "open" in details) details.open = open;
  }
  for (const [id, [left, top]] of kept.scroll) {
    const box = document.getElementById(id);
    if (box) box.scrollTo(left, top);
  }
  if (!kept.focus) return;
  let target = kept.focus.id ? document.getElementById(kept.focus.id) : null;
  if (!target && kept.focus.path) {
    const [href, index] = kept.focus.path;
    const same = [...root.querySelectorAll("a")].filter((link) => link.getAttribute("href") === href);
    target = same[index] ?? same[0] ?? null;
  }
  // What had the focus may be gone; then it stays near, and not at the top of the document.
  (target ?? root).focus({ preventScroll: true });
  if (target && kept.focus.from !== null) target.setSelectionRange(kept.focus.from, kept.focus.to);
}

function swap(text) {
  const fresh = new DOMParser().parseFromString(text, "text/html");
  const next = fresh.querySelector(MAIN);
  const old = document.querySelector(MAIN);
  if (!next || !old || next.innerHTML === old.dataset.shown) return;
  const shown = next.innerHTML;
  const kept = remember(old);
  const [left, top] = [window.scrollX, window.scrollY];
  old.replaceChildren(...next.childNodes);
  old.dataset.shown = shown;
  restore(old, kept);
  window.scrollTo({ left, top, behavior: "instant" });
  document.title = fresh.title;
}

// The address without what only belongs to one showing of it.
function here() {
  const url = new URL(location.href);
  url.searchParams.delete("done");
  return url.pathname + url.search;
}

async function refresh() {
  if (refreshing) {
    again = true;
    return;
  }
  refreshing = true;
  try {
    const answer = await fetch(here(), { headers: { Accept: "text/html" } });
    if (answer.ok) {
      swap(await answer.text());
      say("");
    } else if (answer.status === 401) {
      say("This page is no longer let in. Run `bugle ui` again and open the address that it prints.");
    } else if (answer.status === 503) {
      say("The store cannot be read at the moment. What is shown is how it was; this goes on trying.");
      later(refresh);
    }
  } catch {
    say("The connection is lost. What is shown is how it was; this goes on trying.");
  } finally {
    refreshing = false;
    if (again) {
      again = false;
      soon();
    }
  }
}

function soon() {
  clearTimeout(timer);
  timer = setTimeout(refresh, BREATH);
}

function later(what) {
  clearTimeout(timer);
  timer = setTimeout(what, wait);
  wait = Math.min(wait * 2, LONGEST_WAIT);
}

function listen() {
  source?.close();
  source = new EventSource("/events");
  let lost = false;
  source.addEventListener("open", () => {
    wait = FIRST_WAIT;
    // Something may have happened while nobody listened.
    soon();
  });
  source.addEventListener("changed", soon);
  source.addEventListener("gone", () => {
    say("The store cannot be read at the moment. What is shown is how it was; this goes on trying.");
  });
  source.addEventListener("error", () => {
    if (lost) return;
    lost = true;
    source.close();
    say("The connection is lost. What is shown is how it was; this goes on trying.");
    later(listen);
  });
}

// Where a run stands is looked for first, so it is in view; only the box of the graph is scrolled for that.
function findCurrent() {
  const box = document.getElementById("graph-box");
  const current = box?.querySelector(".node.current");
  if (!current) return;
  const [outer, inner] = [box.getBoundingClientRect(), current.getBoundingClientRect()];
  box.scrollTop += inner.top - outer.top - (outer.height - inner.height) / 2;
  box.scrollLeft += inner.left - outer.left - (outer.width - inner.width) / 2;
}

findCurrent();
listen();
// A page that comes back from the browser's own memory is as old as that.
window.addEventListener("pageshow", (event) => {
  if (event.persisted) listen();
});
window.addEventListener("pagehide", () => source?.close());
