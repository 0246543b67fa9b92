import { lazyPage } from "./lazy-page.ts";
import { Page } from "./page.tsx";
import { t as frame } from "./words/frame.ts";
import { t } from "./words/guide.ts";

const Guide = lazyPage(async () => {
  const [{ GuideView }, { guide }] = await Promise.all([import("./guide-view.tsx"), import("virtual:guide")]);
  return () => <GuideView guide={guide} />;
});

/** The guide of the service, as one of its pages. */
export function GuidePage() {
  return (
    <Page title={frame.help} intro={t.theGuideOfThisRelease}>
      <Guide />
    </Page>
  );
}
