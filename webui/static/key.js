// The key of those who decide. It comes behind the # of the address, which browsers send to nobody, and
// leaves the address bar at once.

export function key() {
  const given = new URLSearchParams(location.hash.slice(1)).get("key");
  if (given) {
    sessionStorage.setItem("referee", given);
    history.replaceState(null, "", location.pathname);
  }
  return sessionStorage.getItem("referee") ?? "";
}

export const sentence = (words) => words.charAt(0).toUpperCase() + words.slice(1);

/** Links to other pages of those who decide carry the key, so that they work in another tab as well. */
export function passKey() {
  if (key()) for (const link of document.querySelectorAll("a.keyed")) link.hash = `key=${key()}`;
}
