/** What people really write: long, right to left, Japanese, many code points, nothing at all. */
export const NAMES = [
  "Ada Lovelace",
  "Wolfeschlegelsteinhausenbergerdorff-Featherstonehaugh von und zu Niederlahnstein, Maximiliane",
  "عائشة بنت عبد الرحمن",
  "山田 太郎（総務部・来客受付担当）",
  "Zoë ‏עדה‎ O'Brien",
  "👩🏽‍🚒 Brigade 🏳️‍🌈",
  "<img src=x onerror=alert(1)>",
  "",
] as const;

export interface Device {
  readonly id: string;
  readonly name: string;
  readonly address: string;
  readonly seen: string;
  readonly state: "bound" | "free" | "declined";
}

const STATES = ["bound", "bound", "bound", "free", "declined"] as const;

/** The same devices at every look: pictures of the page can be compared. */
export function device(index: number): Device {
  return {
    id: `device-${index}`,
    name: index < NAMES.length ? (NAMES[index] as string) : `laptop-${(index * 7_919) % 100_003}`,
    address: `10.77.${(index >> 8) & 255}.${index & 255}`,
    seen: new Date(Date.UTC(2026, 10, 15, 12) - index * 61_000).toISOString(),
    state: STATES[index % STATES.length] as Device["state"],
  };
}

export const TOML = `# The office network
[server]
interfaces = ["eth0"]

[lease]
default_time = 3600   # seconds

[[subnet]]
network = "10.77.0.0/16"
options = { routers = ["10.77.0.1"] }
`;
export const TOML_AFTER = TOML.replace("3600   # seconds", "7200   # seconds").replace("eth0", "eth1");
export const ZPL =
  "^XA\n^FX The name in large letters\n^FO40,40^A0N,60,60^FD{{1}}^FS\n^FO40,190^BY3^BCN,100,Y^FD{{2}}^FS\n^XZ\n";
