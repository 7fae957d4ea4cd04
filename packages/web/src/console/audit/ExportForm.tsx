import { isGatehouseError } from '@gatehouse/client';
import { Button, Code, Group, SimpleGrid, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type MouseEvent, useRef, useState } from 'react';
import { MomentField } from '../../activity/MomentField.tsx';
import { useText } from '../../activity/text.ts';
import { Dimmed } from '../../app/Dimmed.tsx';
import { Notice } from '../../app/Notice.tsx';
import { useFilters } from '../../app/search.ts';
import { CopyButton } from '../../ui/CopyButton.tsx';
import { client } from '../../ui/client.ts';
import { ErrorNote } from '../../ui/ErrorNote.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { Loading } from '../../ui/Loading.tsx';
import { useAction } from '../../ui/use-action.ts';

const COMMAND = 'npx gatehouse audit verify <file>';

/** Selects a part of the audit trail and downloads it by link, because the file may be larger than memory. */
export function ExportForm() {
  const { export: t, ...words } = useText();
  const [search] = useFilters();
  const [from, setFrom] = useState(search.from);
  const [to, setTo] = useState(search.to);
  const [started, setStarted] = useState(false);
  const link = useRef<HTMLAnchorElement>(null);
  const isChecked = useRef(false);
  const sentences = { payment_required: t.unpaid, rate_limited: t.tooMany };

  const allowed = useQuery({
    queryKey: ['audit-export'],
    queryFn: async () => {
      await client.audit.checkExport();
      return true;
    },
  });
  // A link can neither renew the session nor show an error, so both are done before the browser follows it.
  const download = useAction(async () => {
    await client.audit.checkExport({ from, to });
    isChecked.current = true;
    link.current?.click();
    setStarted(true);
  });
  const begin = (event: MouseEvent) => {
    if (!isChecked.current) {
      event.preventDefault();
      setStarted(false);
      void download.run();
    }
    isChecked.current = false;
  };
  if (isGatehouseError(allowed.error, 'payment_required')) return <Notice>{t.unpaid}</Notice>;
  if (allowed.isPending) return <Loading />;
  return (
    <Stack>
      <Text size="sm">{t.lead}</Text>
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <MomentField label={words.from} value={from} end="first" onChange={setFrom} />
        <MomentField label={words.to} value={to} end="last" onChange={setTo} />
      </SimpleGrid>
      <Dimmed>{t.range}</Dimmed>
      <ErrorNote error={download.error ?? allowed.error ?? undefined} sentences={sentences} />
      <Group>
        <Button
          component="a"
          ref={link}
          href={client.audit.exportUrl({ from, to })}
          download
          onClick={begin}
          loading={download.busy}
          leftSection={<Icon name="download" />}
        >
          {t.download}
        </Button>
      </Group>
      <Text role="status" size="sm">
        {started && t.started}
      </Text>
      <div>
        <Text size="sm" mb={6}>
          {t.verify}
        </Text>
        <Group gap="sm">
          <Code>{COMMAND}</Code>
          <CopyButton value={COMMAND} label={t.copyCommand} />
        </Group>
        <Text size="sm" c="dimmed" mt={6}>
          {t.verifyHint}
        </Text>
      </div>
    </Stack>
  );
}
