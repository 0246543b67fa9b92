import { Alert, Button, Group } from "@mantine/core";
import { UpdateIcon } from "@radix-ui/react-icons";
import { useState } from "react";
import { loadAnew } from "./new-document.ts";
import { t } from "./words/frame.ts";

/** Whoever is at work is not interrupted: they load the new pages when it suits them. */
export function NewRelease() {
  const [isLoading, setLoading] = useState(false);
  const load = () => {
    setLoading(true);
    // A browser asks first where something is not saved, and the person may stay.
    void loadAnew().finally(() => setLoading(false));
  };
  return (
    <Alert color="pine" icon={<UpdateIcon />} mb="lg" role="status">
      <Group justify="space-between">
        {t.aNewReleaseIsInstalled}
        <Button size="xs" onClick={load} loading={isLoading}>
          {t.loadItNow}
        </Button>
      </Group>
    </Alert>
  );
}
