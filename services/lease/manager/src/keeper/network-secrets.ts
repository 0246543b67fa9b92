/** What keys are named that have the secret of a network: `wpa-psk`, `psk`, `password`, `private-key-password`. */
const SECRET = /psk|passw|secret|private-key|wep-key|pin$/;

/** A file of ifupdown or NetworkManager as it may be shown to whoever is not root on the machine. */
export const withoutSecrets = (text: string) =>
  text
    .split("\n")
    .map((line) => {
      const [key = ""] = line.trim().split(/[\s=]/, 1);
      return SECRET.test(key) ? `${line.slice(0, line.indexOf(key) + key.length)} …` : line;
    })
    .join("\n");
