import { t } from "./words/use.ts";
/** The face's address as people paste it: plain, in a page, in a document. */
export function snippets(face: { mediaUrl: string; hash: string; size: number; name: string }) {
  const at = (size: number) => `${face.mediaUrl}/${face.hash}?s=${size}`;
  const { size } = face;
  const sharp = size * 2 <= 512 ? ` srcset="${at(size * 2)} 2x"` : "";
  return [
    { title: t.link, text: at(size) },
    {
      title: t.html,
      text: `<img src="${at(size)}"${sharp} width="${size}" height="${size}" alt="${inHtml(face.name)}">`,
    },
    { title: t.markdown, text: `![${face.name.replace(/[[\]\\]/g, "\\$&")}](${at(size)})` },
  ];
}

const inHtml = (text: string) => text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
