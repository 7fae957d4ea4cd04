import type { Organization } from '@gatehouse/contract';
import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { queries } from '../../app/query.ts';
import { reloadSession } from '../../app/session.ts';
import { useForm } from '../../app/use-form.ts';
import { client } from '../../ui/client.ts';
import { ErrorNote } from '../../ui/ErrorNote.tsx';
import { useText } from '../users/text.ts';

export function RenameForm({ organization: { id, name } }: { organization: Organization }) {
  const text = useText();
  const t = text.organizations;
  const [done, setDone] = useState(false);
  const form = useForm({
    values: { name },
    send: async (body, reset) => {
      await client.organizations.change(id, body);
      // The organization may be that of the session, whose name is in the menu.
      await Promise.all([queries.invalidateQueries({ queryKey: ['organizations'] }), reloadSession()]);
      reset();
      setDone(true);
    },
  });
  const typed = form.values.name.trim();
  return (
    <form {...form.props}>
      <Stack gap="sm">
        <Group align="flex-end">
          <TextInput
            label={t.name}
            required
            maxLength={120}
            autoComplete="off"
            flex="1 1 14rem"
            {...form.field('name')}
          />
          <Button type="submit" variant="default" loading={form.busy} disabled={typed === '' || typed === name}>
            {t.rename}
          </Button>
        </Group>
        <Text size="sm" role="status">
          {done && !form.isChanged && t.renamed}
        </Text>
        <ErrorNote error={form.error} sentences={{ forbidden: text.user.rankChanged }} />
      </Stack>
    </form>
  );
}
