import { createHash } from "node:crypto";
import type { Attributions } from "../domain/attribution.ts";
import { AVATAR_STYLES } from "../domain/avatar-style.ts";

const SAMPLES = ["ada", "grace", "linus", "margaret"].map((name) =>
  createHash("sha256").update(`${name}@example.org`).digest("hex"),
);

const PAGE_STYLE = `
:root { color-scheme: light dark; --ink: #1c2430; --soft: #5b6675; --paper: #fbfbfc; --card: #fff; --line: #e3e6ea }
@media (prefers-color-scheme: dark) { :root { --ink: #e8ebef; --soft: #9aa5b4; --paper: #14181e; --card: #1c222a; --line: #2c343f } }
* { box-sizing: border-box }
body { margin: 0 auto; padding: 2.5rem 1.25rem; max-width: 60rem; background: var(--paper); color: var(--ink); font: 16px/1.55 system-ui, sans-serif }
h1 { margin: 0 0 .25rem; font-size: 1.75rem } h2 { margin: 0; font-size: 1.1rem; text-transform: capitalize }
p { margin: .35rem 0 } a { color: inherit } .soft { color: var(--soft) }
ul { list-style: none; margin: 1.75rem 0; padding: 0; display: grid; gap: 1rem; grid-template-columns: repeat(auto-fill, minmax(17rem, 1fr)) }
li { padding: 1.1rem; background: var(--card); border: 1px solid var(--line); border-radius: .9rem }
.faces { display: flex; gap: .5rem; margin-bottom: .8rem } .faces img { width: 3.25rem; height: 3.25rem; border-radius: 50% }
code { padding: .1em .35em; border-radius: .35em; background: var(--line); font-size: .9em; overflow-wrap: anywhere }`;

/** Whose drawings these are, with samples to look at. */
export function creditsPage(attributions: Attributions): string {
  const cards = AVATAR_STYLES.map((style) => {
    const { title, creator, source, license, licenseUrl } = attributions.of(style);
    const faces = SAMPLES.map((hash) => `<img src="/${hash}?d=${style}&amp;s=104&amp;f=y" alt="">`).join("");
    return `<li><div class="faces">${faces}</div><h2>${style}</h2>
<p>Remix of <a href="${escapeHtml(source)}">${escapeHtml(title)}</a> by ${escapeHtml(creator)}</p>
<p class="soft"><a href="${escapeHtml(licenseUrl)}">${escapeHtml(license)}</a></p></li>`;
  });
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Avatar credits</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><link rel="icon" href="/${SAMPLES[0]}?d=bottts&amp;fmt=svg"><style>${PAGE_STYLE}</style></head><body><main>
<h1>Credits</h1>
<p class="soft">Every e-mail address has a face here, at <code>/&lt;SHA-256 of the address&gt;</code>. Where nobody has saved one, it is drawn from the hash in one of these styles.</p>
<ul>${cards.join("\n")}</ul>
<p class="soft">Drawn with <a href="https://www.dicebear.com">DiceBear</a> (MIT). The letters of <em>initials</em> are outlines of <a href="https://rsms.me/inter/">Inter</a> by The Inter Project Authors (SIL Open Font License 1.1).</p>
</main></body></html>`;
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}
