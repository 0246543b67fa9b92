import type { TestContext } from "node:test";

/** Storage as browsers have it: what it holds are its own keys. */
class FakeStorage {
  [key: string]: unknown;
  getItem(key: string): string | null {
    return Object.hasOwn(this, key) ? String(this[key]) : null;
  }
  setItem(key: string, value: string): void {
    this[key] = value;
  }
  removeItem(key: string): void {
    delete this[key];
  }
}

/** A browser's globals as far as modules without a page use them. */
export function fakeBrowser(t: TestContext) {
  const beats: Array<() => void> = [];
  const window = Object.assign(new EventTarget(), { setInterval: (beat: () => void) => beats.push(beat) });
  const document = Object.assign(new EventTarget(), { visibilityState: "visible" });
  const globals = { window, document, localStorage: new FakeStorage(), sessionStorage: new FakeStorage() };
  for (const [name, value] of Object.entries(globals))
    Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
  t.after(() => {
    for (const name of Object.keys(globals)) Reflect.deleteProperty(globalThis, name);
  });
  return {
    ...globals,
    /** Has every page do what it does from time to time. */
    beat: () => {
      for (const beat of beats) beat();
    },
    /** Puts the page in the background, or brings it back. */
    show: (visibilityState: "visible" | "hidden") => {
      document.visibilityState = visibilityState;
      document.dispatchEvent(new Event("visibilitychange"));
    },
    /** Site data is blocked: the storages cannot even be named. */
    blockStorage: () => {
      for (const name of ["localStorage", "sessionStorage"])
        Object.defineProperty(globalThis, name, {
          configurable: true,
          get: () => {
            throw new DOMException("The operation is insecure.", "SecurityError");
          },
        });
    },
    /** Another tab has written to the storage that all share. */
    writesElsewhere: (key: string, value: string) => {
      globals.localStorage.setItem(key, value);
      window.dispatchEvent(Object.assign(new Event("storage"), { key }));
    },
  };
}
