import { connection } from "@frontdesk/ui";
import { useQuery } from "@tanstack/react-query";
import { type CSSProperties, useEffect, useState } from "react";
import { questions } from "./api.ts";
import classes from "./faces.module.css";
import { t } from "./words/frame.ts";

/** The address of a face; the version makes a browser fetch the new one after a save. */
export function useFaceUrl(): (
  face: { hash: string | null; verified?: boolean },
  size: number,
) => string | undefined {
  const { data: config } = useQuery(questions.config);
  const { data: avatar } = useQuery(questions.avatar);
  return ({ hash, verified = true }, size) => {
    if (!config || !hash || avatar === undefined) return undefined;
    const query = new URLSearchParams({ s: String(size) });
    // Where nothing is saved the answer may change at any time, and `v` would keep it for ever.
    if (avatar && verified) query.set("v", String(avatar.version));
    return `${config.media_url}/${hash}?${query}`;
  };
}

/** A picture, or the quiet place where it will be. */
export function Face(props: { src: string | undefined; size: number; alt?: string; round?: boolean }) {
  const { src, size, alt = "", round = false } = props;
  const room = { "--face-size": `${size}px` } as CSSProperties;
  const shape = { className: classes.face, style: room, "data-round": round || undefined };
  const [failed, setFailed] = useState<string>();
  const [attempts, setAttempts] = useState(0);
  // A picture that could not be fetched is fetched again when the server is back.
  useEffect(() => {
    if (failed === undefined) return;
    return connection.subscribe(() => {
      if (connection.lostAt() !== undefined) return;
      setFailed(undefined);
      setAttempts((before) => before + 1);
    });
  }, [failed]);
  if (!src || failed === src) return <span {...shape} />;
  return (
    <img
      key={attempts}
      {...shape}
      src={src}
      alt={alt}
      width={size}
      height={size}
      onError={() => setFailed(src)}
    />
  );
}

const SIZES = [128, 64, 32, 16];

/** One face as it will be met: large in a profile, small beside a name. */
export function FaceSizes({ srcOf }: { srcOf: (size: number) => string | undefined }) {
  return (
    <ul className={classes.sizes} aria-label={t.theSameFaceInSmallerSizes}>
      {SIZES.map((size) => (
        <li key={size}>
          <Face src={srcOf(size)} size={size} round />
          <span>{size}</span>
        </li>
      ))}
    </ul>
  );
}
