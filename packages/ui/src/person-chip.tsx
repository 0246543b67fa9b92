import { Avatar, Group, Text } from "@mantine/core";

const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** The first letters of the first and the last word, whole ones: an emoji of many code points is one letter. */
function initials(name: string): string {
  const words = name.trim().split(/\s+/);
  const ends = words.length > 1 ? [words[0], words.at(-1)] : [words[0]];
  return ends.map((word = "") => [...graphemes.segment(word)][0]?.segment.toUpperCase() ?? "").join("");
}

/** A person: face, name, and a word more. Names are shown as they were written, in either direction. */
export function PersonChip({ name, face, more }: { name: string; face?: string; more?: string }) {
  return (
    <Group gap="xs" wrap="nowrap">
      <Avatar {...(face ? { src: face } : {})} alt="" color="pine" size={32} radius="xl">
        {initials(name)}
      </Avatar>
      <div style={{ minWidth: 0 }}>
        <Text size="sm" fw={550} dir="auto" truncate="end">
          {name}
        </Text>
        {more && (
          <Text size="xs" c="dimmed" dir="auto" truncate="end">
            {more}
          </Text>
        )}
      </div>
    </Group>
  );
}
