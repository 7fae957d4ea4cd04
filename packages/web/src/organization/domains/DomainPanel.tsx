import type { Domain } from '@gatehouse/contract';
import { Button, Group, Stack, Text } from '@mantine/core';
import { ConfirmButton } from '../../app/ConfirmButton.tsx';
import { Dimmed } from '../../app/Dimmed.tsx';
import { Fact, Facts } from '../../app/Facts.tsx';
import { useSession } from '../../app/session.ts';
import { Tag } from '../../app/Tag.tsx';
import { showToast } from '../../app/toast-store.ts';
import { client } from '../../ui/client.ts';
import { ErrorNote } from '../../ui/ErrorNote.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { useAction } from '../../ui/use-action.ts';
import { Copyable } from '../Copyable.tsx';
import { reloadDomains } from './query.ts';
import { refusalOf, stateOf } from './state.ts';
import { useText } from './text.ts';

const TONES = { pending: 'plain', verified: 'good', failing: 'warn', lapsed: 'bad' } as const;

export function DomainPanel({ domain }: { domain: Domain }) {
  const t = useText();
  const { organization_id } = useSession().user;
  const state = stateOf(domain);
  const verify = useAction(async () => {
    await client.domains.verify(organization_id, domain.id);
    showToast(t.isVerified(domain.domain));
    await reloadDomains();
  });
  return (
    <Panel title={domain.domain} lead={t.hints[state]}>
      <div>
        <Tag marked tone={TONES[state]}>
          {t.states[state]}
        </Tag>
      </div>
      {domain.status === 'verified' && (
        <Facts>
          <Fact name={t.verifiedAt} at={domain.verified_at} />
          <Fact name={t.checkedAt} at={domain.checked_at} />
        </Facts>
      )}
      {state === 'verified' ? (
        <details>
          <Text component="summary" size="sm" mb="xs">
            {t.showRecord}
          </Text>
          <DnsRecord domain={domain} />
        </details>
      ) : (
        <DnsRecord domain={domain} />
      )}
      <ErrorNote
        error={verify.error}
        sentences={{ conflict: t.refusals[refusalOf(verify.error)], rate_limited: t.tooOften }}
      />
      <Group gap="xs">
        {state !== 'verified' && (
          <Button
            size="xs"
            aria-label={t.verifyLabel(domain.domain)}
            loading={verify.busy}
            onClick={() => void verify.run()}
          >
            {t.verify}
          </Button>
        )}
        <RemoveButton domain={domain} />
      </Group>
    </Panel>
  );
}

function DnsRecord({ domain: { domain, record } }: { domain: Domain }) {
  const t = useText();
  return (
    <Stack gap="xs">
      <Facts>
        <Fact name={t.type}>{record.type}</Fact>
        <Fact name={t.name}>
          <Copyable value={record.name} label={t.copy(`${t.name}, ${domain}`)} />
        </Fact>
        <Fact name={t.value}>
          <Copyable value={record.value} label={t.copy(`${t.value}, ${domain}`)} />
        </Fact>
      </Facts>
      <Dimmed>{t.nameHint(domain)}</Dimmed>
    </Stack>
  );
}

function RemoveButton({ domain: { id, domain, status } }: { domain: Domain }) {
  const t = useText().remove;
  const { organization_id } = useSession().user;
  return (
    <ConfirmButton
      label={t.label(domain)}
      title={t.title(domain)}
      question={t.questions[status]}
      verb={t.verb}
      sentences={{ conflict: t.conflict }}
      work={async () => {
        await client.domains.remove(organization_id, id);
        showToast(t.removed(domain));
        await reloadDomains();
      }}
    />
  );
}
