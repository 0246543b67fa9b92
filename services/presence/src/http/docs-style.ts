/** How the docs page looks: in light and dark, on a desk and on a telephone. */
export const DOCS_STYLE = `
:root { color-scheme: light dark; --ink: #1c2430; --soft: #5b6675; --paper: #fbfbfc; --card: #fff; --line: #e3e6ea; --link: #1864ab; --mark: #fff3bf; --get: #1971c2; --post: #237032; --put: #a34100; --patch: #a34100; --delete: #c92a2a; --event: #862e9c }
@media (prefers-color-scheme: dark) { :root { --ink: #e8ebef; --soft: #9aa5b4; --paper: #14181e; --card: #1c222a; --line: #2c343f; --link: #74c0fc; --mark: #4d3b00; --get: #74c0fc; --post: #69db7c; --put: #ffa94d; --patch: #ffa94d; --delete: #ff8787; --event: #da77f2 } }
* { box-sizing: border-box }
html { scroll-padding-top: 1rem }
body { margin: 0 auto; padding: 2.5rem 1.25rem; max-width: 74rem; background: var(--paper); color: var(--ink); font: 16px/1.55 system-ui, sans-serif; overflow-wrap: anywhere }
a { color: var(--link) } .soft { color: var(--soft) }
h1 { margin: 0; font-size: 1.75rem; line-height: 1.2 } h2 { margin: 2.5rem 0 .5rem; font-size: 1.3rem; line-height: 1.2 }
h2::first-letter { text-transform: uppercase }
h3 { margin: 1.5rem 0 .25rem; font-size: 1rem } h4 { margin: 1.1rem 0 .25rem; font-size: .85rem; color: var(--soft) }
p { margin: .5rem 0 }
code, pre { font: .875em/1.5 ui-monospace, SFMono-Regular, Menlo, monospace }
code { padding: .1em .35em; border-radius: .35em; background: var(--line) }
pre { margin: .5rem 0; padding: .8rem 1rem; border: 1px solid var(--line); border-radius: .6rem; background: var(--paper); overflow-x: auto; overflow-wrap: normal }
nav ul { display: flex; flex-wrap: wrap; gap: .25rem 1rem; margin: 1rem 0; padding: 0; list-style: none }
nav a { text-decoration: none } nav a:hover { text-decoration: underline } nav li { text-transform: capitalize } nav li.as-is { text-transform: none }
details { margin: .5rem 0; background: var(--card); border: 1px solid var(--line); border-radius: .7rem }
summary { display: grid; grid-template-columns: 4.5rem minmax(0, 1fr) minmax(0, 1fr); gap: 0 .75rem; align-items: baseline; padding: .6rem 1rem; cursor: pointer; border-radius: .7rem; list-style: none }
summary::-webkit-details-marker { display: none }
summary:hover { background: color-mix(in srgb, var(--line) 45%, transparent) }
summary code { padding: 0; background: none }
details > div { padding: .25rem 1rem 1rem; border-top: 1px solid var(--line) }
.verb { font-weight: 650; font-size: .85rem; letter-spacing: .02em }
.get { color: var(--get) } .post { color: var(--post) } .put { color: var(--put) } .patch { color: var(--patch) } .delete { color: var(--delete) } .event { color: var(--event) }
table { width: 100%; border-collapse: collapse } tr { border-top: 1px solid var(--line) } tr:first-child { border-top: 0 }
td, th { padding: .4rem .75rem .4rem 0; text-align: left; vertical-align: top; font-weight: 400 } th { width: 16rem }
td .soft { margin-right: .35rem } .narrow th { width: 4.5rem }
:target { background: var(--mark) } details:target { outline: 2px solid var(--link); background: var(--card) }
@media (min-width: 64rem) {
  body { display: grid; grid-template-columns: 11rem minmax(0, 1fr); gap: 0 3rem }
  nav { position: sticky; top: 2.5rem; align-self: start } nav ul { display: block; margin: 0 } nav li { padding: .2rem 0 }
}
@media (max-width: 48rem) {
  summary { grid-template-columns: 4.5rem minmax(0, 1fr) } summary .soft { grid-column: 2 }
  body { padding: 1.5rem 1rem } th { width: 46% }
}`;
