import { connection } from "@frontdesk/ui";
import { SimpleGrid } from "@mantine/core";
import { useEffect, useState } from "react";
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
            <Picture src={src} alt={t.labelNumber(n + 1)} />
          </a>
        </li>
      ))}
    </SimpleGrid>
  );
}

/** A picture that could not be fetched is fetched again when the server is back. */
function Picture({ src, alt }: { src: string; alt: string }) {
  const [failed, setFailed] = useState(false);
  const [attempts, setAttempts] = useState(0);
  useEffect(() => {
    if (!failed) return;
    return connection.subscribe(() => {
      if (connection.lostAt() !== undefined) return;
      setFailed(false);
      setAttempts((before) => before + 1);
    });
  }, [failed]);
  return <img key={attempts} src={src} alt={alt} loading="lazy" onError={() => setFailed(true)} />;
}
