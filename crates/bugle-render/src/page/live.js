// Updates the page when the store changes: the server announces a change, and this script fetches the page and replaces
// its content. Without scripts, the user reloads the page.

const MAIN = "main";
const status = document.getElementById("live");
const FIRST_WAIT = 1000;
const LONGEST_WAIT = 30000;
// Changes in quick succession are shown together.
const DEBOUNCE = 300;

let wait = FIRST_WAIT;
let source = null;
let refreshing = false;
let again = false;
let timer = 0;

function showStatus(text) {
  if (status.textContent !== text) status.textContent = text;
}

// Saves what the user has typed, opened, scrolled to and focused, for `restore` on the new content.
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

// Identifies a link without an id by its URL and its index among the links to that URL.
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
  // If the focused element is gone, focus the content and not the top of the document.
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

// The current URL without the parameters for one-time notices.
function here() {
  const url = new URL(location.href);
  for (const name of ["done", "told"]) {
    url.searchParams.delete(name);
  }
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
      showStatus("");
    } else if (answer.status === 401) {
      showStatus("Access has expired. Run `bugle ui` again and open the link it prints.");
    } else if (answer.status === 503) {
      showStatus("The store cannot be read. Showing the last known state and retrying.");
      later(refresh);
    }
  } catch {
    showStatus("The connection is lost. Showing the last known state and retrying.");
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
  timer = setTimeout(refresh, DEBOUNCE);
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
    // The store may have changed while the page was disconnected.
    soon();
  });
  source.addEventListener("changed", soon);
  source.addEventListener("gone", () => {
    showStatus("The store cannot be read. Showing the last known state and retrying.");
  });
  source.addEventListener("error", () => {
    if (lost) return;
    lost = true;
    source.close();
    showStatus("The connection is lost. Showing the last known state and retrying.");
    later(listen);
  });
}

// Scrolls the box of the graph, not the page, so that the current step is visible.
function scrollToCurrentStep() {
  const box = document.getElementById("graph-box");
  const current = box?.querySelector(".node.current");
  if (!current) return;
  const [outer, inner] = [box.getBoundingClientRect(), current.getBoundingClientRect()];
  box.scrollTop += inner.top - outer.top - (outer.height - inner.height) / 2;
  box.scrollLeft += inner.left - outer.left - (outer.width - inner.width) / 2;
}

scrollToCurrentStep();
listen();
// A page that the browser restores from its cache is outdated.
window.addEventListener("pageshow", (event) => {
  if (event.persisted) listen();
});
window.addEventListener("pagehide", () => source?.close());
