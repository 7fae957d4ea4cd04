import type { Organization } from '@gatehouse/contract';
import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { queries } from '../../app/query.ts';
import { reloadSession } from '../../app/session.ts';
import { useUnsaved } from '../../app/unsaved.ts';
import { client } from '../../ui/client.ts';
import { ErrorNote } from '../../ui/ErrorNote.tsx';
import { useAction } from '../../ui/use-action.ts';
import { useText } from '../users/text.ts';

export function RenameForm({ organization: { id, name } }: { organization: Organization }) {
  const text = useText();
  const t = text.organizations;
  const [changed, setChanged] = useState<string>();
  const [done, setDone] = useState(false);
  const typed = changed ?? name;
  const rename = useAction(async () => {
    await client.organizations.change(id, { name: typed });
    // The organization may be that of the session, whose name is in the menu.
    await Promise.all([queries.invalidateQueries({ queryKey: ['organizations'] }), reloadSession()]);
    setChanged(undefined);
    setDone(true);
  });
  useUnsaved(typed !== name && !rename.busy);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void rename.run();
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <Group align="flex-end">
          <TextInput
            label={t.name}
            required
            maxLength={120}
            autoComplete="off"
            value={typed}
            onChange={(event) => {
              setChanged(event.currentTarget.value);
              setDone(false);
            }}
            flex="1 1 14rem"
          />
          <Button
            type="submit"
            variant="default"
            loading={rename.busy}
            disabled={typed.trim() === '' || typed.trim() === name}
          >
            {t.rename}
          </Button>
        </Group>
        <Text size="sm" role="status">
          {done && t.renamed}
        </Text>
        <ErrorNote error={rename.error} sentences={{ forbidden: text.user.rankChanged }} />
      </Stack>
    </form>
  );
}
