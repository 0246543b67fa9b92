import { Avatar } from "@mantine/core";

const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** The first letters of the first and the last word, whole ones: an emoji of many code points is one letter. */
export function initials(name: string): string {
  const words = name.trim().split(/\s+/);
  const ends = words.length > 1 ? [words[0], words.at(-1)] : [words[0]];
  return ends.map((word = "") => [...graphemes.segment(word)][0]?.segment.toUpperCase() ?? "").join("");
}

/** Somebody's picture; where there is none, their initials. The name always stands beside it. */
export function Face({ src, name, size }: { src: string; name: string; size: number | string }) {
  return (
    <Avatar
      src={src}
      alt=""
      color="pine"
      size={size}
      radius="xl"
      imageProps={{ loading: "lazy", decoding: "async", referrerPolicy: "no-referrer" }}
    >
      {initials(name)}
    </Avatar>
  );
}
