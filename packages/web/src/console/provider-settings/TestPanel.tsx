import type { ProbeResult, Provider } from '@gatehouse/contract';
import { Button, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { Tag } from '../../app/Tag.tsx';
import { client } from '../../ui/client.ts';
import { ErrorNote } from '../../ui/ErrorNote.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { useAction } from '../../ui/use-action.ts';
import classes from './Providers.module.css';
import { useText } from './text.ts';

/** Tests the stored configuration, as far as possible before a sign-in. A failed test is a result, not an error. */
export function TestPanel({ provider }: { provider: Provider }) {
  const t = useText();
  const [result, setResult] = useState<ProbeResult>();
  const test = useAction(async () => setResult(await client.providers.test(provider)));
  const begin = () => {
    setResult(undefined);
    void test.run();
  };
  return (
    <Panel title={t.testTitle} lead={t.testLead}>
      <ErrorNote error={test.error} sentences={{ rate_limited: t.tooOften }} />
      <Group align="flex-start">
        <Button variant="default" loading={test.busy} onClick={begin}>
          {t.test}
        </Button>
        <div role="status" className={classes.result}>
          {result && (
            <>
              <Tag marked tone={result.ok ? 'good' : 'bad'}>
                {result.ok ? t.testGood : t.testBad}
              </Tag>
              {/* The service's message, in English. */}
              <Text size="sm" mt={4} lang="en">
                {result.detail}
              </Text>
            </>
          )}
        </div>
      </Group>
    </Panel>
  );
}
