/**
 * Copies a text, also on plain http beyond loopback, where browsers keep the clipboard from pages: there
 * the old command still works. False where neither does.
 */
export async function copyText(text: string): Promise<boolean> {
  try {
    if (navigator.clipboard) {
      await navigator.clipboard.writeText(text);
      return true;
    }
  } catch {
    // Refused by the browser or by a person: the old command may still be allowed.
  }
  const area = document.createElement("textarea");
  area.value = text;
  area.readOnly = true;
  area.style.position = "fixed";
  area.style.opacity = "0";
  const focused = document.activeElement;
  // Inside an open dialog, which would otherwise take the focus back before anything is copied.
  const place = focused?.closest("[role=dialog]") ?? document.body;
  place.append(area);
  area.select();
  try {
    return document.execCommand("copy");
  } finally {
    area.remove();
    if (focused instanceof HTMLElement) focused.focus();
  }
}
