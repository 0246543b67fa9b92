import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createServer } from "node:http";
import { test } from "node:test";
import { startChromium } from "@frontdesk/testkit/chromium";
import { debianProgram } from "@frontdesk/testkit/debian";
import { ANNA, mediaFixture } from "./media-fixture.ts";
import { checkedFetch } from "./openapi-check.ts";

async function listening(app: Awaited<ReturnType<typeof mediaFixture>>["app"]): Promise<string> {
  return app.listen({ host: "127.0.0.1", port: 0 });
}

test("an unmodified Libravatar client that is pointed here gets the image of the hash it was given", async (t) => {
  const module = "/usr/share/perl5/Libravatar/URL.pm";
  if (!debianProgram(t, module, "libgravatar-url-perl")) return;
  const { app } = await mediaFixture(t);
  const base = `${await listening(app)}/avatar`;
  const script = `
    use Libravatar::URL;
    print libravatar_url(id => $ARGV[1], base => $ARGV[0], size => 64, default => 'identicon');
  `;
  const url = execFileSync("perl", ["-e", script, base, ANNA], { encoding: "utf8" });
  assert.ok(url.startsWith(`${base}/${ANNA}`), url);
  const reply = await checkedFetch(url);
  assert.equal(reply.headers.get("content-type"), "image/png");
  const expected = await app.inject(`/${ANNA}?s=64&d=identicon`);
  assert.deepEqual(Buffer.from(await reply.arrayBuffer()), expected.rawPayload);
});

test("in a real browser a page of another origin shows PNG and SVG, reads the metadata, and may use the pixels", async (t) => {
  const browser = await startChromium(t);
  if (!browser) return;
  const { app } = await mediaFixture(t);
  const media = await listening(app);
  const page = await browser.newPage();
  const host = createServer((_request, response) =>
    response.setHeader("content-type", "text/html").end("<p>page</p>"),
  );
  t.after(() => host.close());
  await new Promise<void>((resolve) => host.listen(0, "127.0.0.1", resolve));
  await page.goto(`http://127.0.0.1:${(host.address() as { port: number }).port}/`);

  const seen = await page.evaluate(
    async ({ media, hash }) => {
      const load = (query: string) =>
        new Promise<HTMLImageElement>((resolve, reject) => {
          const image = new Image();
          image.crossOrigin = "anonymous";
          image.onload = () => resolve(image);
          image.onerror = () => reject(new Error(`no image for ${query}`));
          image.src = `${media}/${hash}${query}`;
        });
      const ink = (image: HTMLImageElement) => {
        const canvas = Object.assign(document.createElement("canvas"), { width: 64, height: 64 });
        const context = canvas.getContext("2d") as CanvasRenderingContext2D;
        context.drawImage(image, 0, 0, 64, 64);
        return new Set(new Uint32Array(context.getImageData(0, 0, 64, 64).data.buffer)).size;
      };
      const png = await load("?s=128");
      const styles = ["personas", "initials", "identicon", "bottts", "avataaars"];
      const drawings = await Promise.all(styles.map((style) => load(`?fmt=svg&d=${style}`)));
      const metadata = await (await fetch(`${media}/${hash}.json`)).json();
      return { width: png.naturalWidth, pngInk: ink(png), svgInk: drawings.map(ink), metadata };
    },
    { media, hash: ANNA },
  );
  assert.equal(seen.width, 128);
  assert.ok(seen.pngInk > 8);
  for (const colours of seen.svgInk) assert.ok(colours > 1);
  assert.equal(seen.metadata.hash, ANNA);
});

test("in a real browser the credits page shows every sample and names every author", async (t) => {
  const browser = await startChromium(t);
  if (!browser) return;
  const { app } = await mediaFixture(t);
  const page = await browser.newPage();
  const complaints: string[] = [];
  page.on("console", (message) => complaints.push(message.text()));
  await page.goto(await listening(app), { waitUntil: "networkidle" });
  assert.equal(new URL(page.url()).pathname, "/credits");
  const broken = await page
    .locator("img")
    .evaluateAll((images) => images.filter((image) => !(image as HTMLImageElement).naturalWidth).length);
  assert.deepEqual([await page.locator("img").count(), broken, complaints], [20, 0, []]);
  for (const name of ["Draftbit", "Pablo Stanley", "DiceBear", "Inter"]) {
    assert.ok(await page.getByText(name).first().isVisible(), name);
  }
});
