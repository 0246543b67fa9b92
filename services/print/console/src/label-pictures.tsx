import { SimpleGrid } from "@mantine/core";
import classes from "./label-pictures.module.css";
import { t } from "./words/printer.ts";

export const pngOf = (base64: string) => `data:image/png;base64,${base64}`;

/** Pictures of labels as they come out: black on white, whatever the colours of the page. */
export function LabelPictures({ pictures, what }: { pictures: readonly string[]; what: string }) {
  return (
    <SimpleGrid
      cols={{ base: 1, xs: 2, md: 3 }}
      component="ul"
      className={classes.list ?? ""}
      aria-label={what}
    >
      {pictures.map((src, n) => (
        <li key={src} className={classes.label}>
          <a href={src.startsWith("data:") ? undefined : src} target="_blank" rel="noreferrer">
            <img src={src} alt={t.labelNumber(n + 1)} loading="lazy" />
          </a>
        </li>
      ))}
    </SimpleGrid>
  );
}
