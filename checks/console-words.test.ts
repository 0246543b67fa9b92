import assert from "node:assert/strict";
import { test } from "node:test";
import { scatteredWords, wordsIn } from "./console-words.ts";
import { repository, sourceFiles } from "./source-files.ts";

test("every word that a console shows is in its catalogue", () => {
  assert.deepEqual(scatteredWords(repository, sourceFiles()), []);
});

test("words outside the catalogue are found, and nothing else", () => {
  const said = (source: string) =>
    wordsIn("page.tsx", source).map((words) => /says "(.*)" outside/.exec(words)?.[1]);
  const planted: ReadonlyArray<[source: string, words: string[]]> = [
    ["<p>Hello</p>", ["Hello"]],
    ["<p>{t.hello} there</p>", ["there"]],
    ['<input placeholder="Name" aria-label="Your name" name="first" />', ["Name", "Your name"]],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is source, not a text to be filled
    ["<Button title={isNew ? 'Add' : `Save ${name}`} />", ["Add", "Save …"]],
    ["const question = { title: 'Remove it?', danger: true }", ["Remove it?"]],
    ["tellDone('It is removed.')", ["It is removed."]],
    ["<p className='card' style={{ font: '12px Inter Variable, sans-serif' }}>{t.hello}</p>", []],
    ["throw new Error('useConfirm needs startConsole around it')", []],
    ["const shade: 'light' | 'very dark indeed' = 'light'", []],
    ["import { t } from './some words here.ts'; <p>{count(n, t.labels)} · {3} %</p>", []],
  ];
  for (const [source, words] of planted) assert.deepEqual(said(source), words, source);
});
