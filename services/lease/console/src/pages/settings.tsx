import { Loaded, LoadingState, Page, useUrlState } from "@frontdesk/ui";
import { Group, SegmentedControl } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { questions } from "../api.ts";
import { ConfigHistory } from "../config-history.tsx";
import { ConfigText } from "../config-text.tsx";
import { ConfigTrial } from "../config-trial.tsx";
import { changed } from "../session.ts";
import { SettingsForms } from "../settings-forms.tsx";
import { inSentences, UnreadableConfig } from "../unreadable-config.tsx";
import { t } from "../words/settings.ts";

const MODES = [
  { value: "forms", label: t.forms },
  { value: "text", label: t.text },
  { value: "history", label: t.history },
];

export function SettingsPage() {
  const config = useQuery(questions.config);
  const [mode, setMode] = useUrlState("mode", "forms");
  return (
    <Page title={t.settings} intro={t.intro} wide>
      <ConfigTrial />
      <Group>
        <SegmentedControl aria-label={t.how} data={MODES} value={mode} onChange={setMode} />
      </Group>
      <Loaded query={config}>
        {({ text, version, config: values, problems }) => {
          if (text === undefined) return <ReadForLess />;
          if (mode === "text") return <ConfigText text={text} version={version} />;
          if (mode === "history") return <ConfigHistory text={text} version={version} />;
          if (!values) return <UnreadableConfig why={inSentences(problems)} />;
          return <SettingsForms config={values} version={version} />;
        }}
      </Loaded>
    </Page>
  );
}

/** Whoever reads it is no administrator any more, or was none yet: who they are is asked first, and then what they may read. */
function ReadForLess() {
  useEffect(() => {
    void changed(questions.me).then(() => changed(questions.config));
  }, []);
  return <LoadingState />;
}
