import { isGatehouseError } from '@gatehouse/client';
import type { SsoConnection } from '@gatehouse/contract';
import { Button, Text } from '@mantine/core';
import { useSession } from '../../app/session.ts';
import { Tag } from '../../app/Tag.tsx';
import { client } from '../../ui/client.ts';
import { ErrorNote } from '../../ui/ErrorNote.tsx';
import { Moment } from '../../ui/Moment.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { useAction } from '../../ui/use-action.ts';
import { reloadConnections } from './query.ts';
import { useText } from './text.ts';

/** Step 5: a round through the provider, in this tab. It ends on this page, which then shows the result. */
export function TestPanel({ connection: { id, last_test } }: { connection: SsoConnection }) {
  const t = useText();
  const { organization_id } = useSession().user;
  const test = useAction(async () => {
    try {
      const { authorization_url } = await client.ssoConnections.test(organization_id, id);
      location.assign(authorization_url);
    } catch (error) {
      // The service has stored why the provider's configuration could not be read.
      if (isGatehouseError(error, 'conflict')) await reloadConnections();
      throw error;
    }
  });
  return (
    <Panel title={t.test.title} lead={t.test.lead}>
      <div role="status">
        {last_test === null ? (
          <Text size="sm">{t.test.none}</Text>
        ) : (
          <>
            <Tag marked tone={last_test.ok ? 'good' : 'bad'}>
              {last_test.ok ? t.test.passed : t.test.failed}
            </Tag>{' '}
            <Text size="sm" c="dimmed" component="span">
              <Moment at={last_test.at} />
            </Text>
            {/* The service's message, in English. */}
            <Text size="sm" mt={4} lang="en">
              {last_test.detail}
            </Text>
          </>
        )}
      </div>
      <ErrorNote error={test.error} sentences={{ conflict: t.test.unreadable, rate_limited: t.tooOften }} />
      <div>
        <Button variant={last_test?.ok ? 'default' : 'filled'} loading={test.busy} onClick={() => void test.run()}>
          {t.test.verb}
        </Button>
      </div>
    </Panel>
  );
}
