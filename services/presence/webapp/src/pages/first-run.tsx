import { ActionForm, ErrorState, LoadingState, SignInFrame } from "@frontdesk/ui";
import { Anchor, Button, NativeSelect, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "wouter";
import { call } from "../api.ts";
import { changed } from "../session.ts";
import { t } from "../words/first-run.ts";
import { ownZone, zoneChoices } from "../zones.ts";

/** Opened by the one-time link; what is behind its `#` never reaches a log. */
export function FirstRunPage() {
  const [secret] = useState(() => window.location.hash.slice(1));
  const offer = useQuery({
    queryKey: ["first-run", secret],
    queryFn: () => call("POST /first-run/offer", { json: { secret } }),
    enabled: secret !== "",
    retry: false,
  });
  const [made, setMade] = useState<string>();
  if (made !== undefined) {
    return (
      <SignInFrame service={t.presence} title={t.isMade(made)} about={t.nowSignIn}>
        <Button component={Link} href="/" fullWidth>
          {t.signIn}
        </Button>
      </SignInFrame>
    );
  }
  if (secret === "" || offer.error) {
    return (
      <SignInFrame service={t.presence} title={t.theLinkIsNotValid} about={t.itWasUsedOrMistyped}>
        {offer.error && <ErrorState error={offer.error} />}
        <Anchor component={Link} href="/">
          {t.toSignIn}
        </Anchor>
      </SignInFrame>
    );
  }
  return (
    <SignInFrame service={t.presence} title={t.makeYourOrganisation} about={t.thisLinkWorksOnce}>
      {offer.data ? (
        <FirstRunForm secret={secret} statuses={offer.data.statuses} onMade={setMade} />
      ) : (
        <LoadingState what={t.checkingTheLink} />
      )}
    </SignInFrame>
  );
}

function FirstRunForm(props: {
  secret: string;
  statuses: ReadonlyArray<{ key: string; label: string; emoji: string }>;
  onMade: (name: string) => void;
}) {
  const { secret, statuses, onMade } = props;
  const [name, setName] = useState("");
  const [email, setEmail] = useState("");
  const [yourName, setYourName] = useState("");
  const [status, setStatus] = useState(statuses[0]?.key ?? "");
  const [timeZone, setTimeZone] = useState(ownZone());
  const make = async () => {
    await call("POST /first-run", {
      json: {
        secret,
        name: name.trim(),
        email: email.trim(),
        ...(yourName.trim() ? { yourName: yourName.trim() } : {}),
        defaultStatus: status,
        timeZone,
      },
    });
    window.history.replaceState(null, "", window.location.pathname);
    await changed({ queryKey: ["config"] }, { queryKey: ["me"] });
    onMade(name.trim());
  };
  return (
    <ActionForm action={t.make} onSubmit={make} disabled={!name.trim() || !email.trim()} fullWidth>
      {(problem) => (
        <>
          <TextInput
            label={t.nameOfTheOrganisation}
            placeholder={t.exampleOrganisation}
            dir="auto"
            maxLength={100}
            autoFocus
            value={name}
            error={problem("name")}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <TextInput
            label={t.yourEMailAddress}
            placeholder={t.exampleAddress}
            type="email"
            autoComplete="email"
            value={email}
            error={problem("email")}
            onChange={(event) => setEmail(event.currentTarget.value)}
          />
          <TextInput
            label={t.yourName}
            autoComplete="name"
            dir="auto"
            maxLength={200}
            value={yourName}
            error={problem("yourName")}
            onChange={(event) => setYourName(event.currentTarget.value)}
          />
          <NativeSelect
            label={t.defaultStatus}
            data={statuses.map(({ key, label, emoji }) => ({ value: key, label: `${emoji} ${label}` }))}
            value={status}
            onChange={(event) => setStatus(event.currentTarget.value)}
          />
          <NativeSelect
            label={t.timeZone}
            data={zoneChoices(ownZone())}
            value={timeZone}
            error={problem("timeZone")}
            onChange={(event) => setTimeZone(event.currentTarget.value)}
          />
        </>
      )}
    </ActionForm>
  );
}
