import { isGatehouseError } from '@gatehouse/client';
import { SSO_CAUSES, type SsoCause, type SsoConnection, ssoSentence } from '@gatehouse/contract';
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

const CAUSES = Object.keys(SSO_CAUSES) as SsoCause[];

/** Why the last test failed, in the language of the page. The service stores the English sentence of the cause. */
function reasonOf({ last_test, callback_url }: SsoConnection, causes: Readonly<Record<SsoCause, string>>) {
  const found = CAUSES.find((cause) => ssoSentence(SSO_CAUSES[cause], callback_url) === last_test?.detail);
  return found ? ssoSentence(causes[found], callback_url) : last_test?.detail;
}

/** Step 5: a test sign-in at the provider, in this tab. It returns to this page, which then shows the result. */
export function TestPanel({ connection }: { connection: SsoConnection }) {
  const t = useText();
  const { id, last_test } = connection;
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
            {!last_test.ok && (
              <Text size="sm" mt={4} style={{ overflowWrap: 'anywhere' }}>
                {reasonOf(connection, t.causes)}
              </Text>
            )}
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
