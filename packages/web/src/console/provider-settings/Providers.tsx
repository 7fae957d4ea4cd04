import { Stack } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { PageHead } from '../../app/PageHead.tsx';
import { usePlatformRole } from '../../app/session.ts';
import { ReadOnly } from '../ReadOnly.tsx';
import { MissingKey } from './MissingKey.tsx';
import { ProviderCard } from './ProviderCard.tsx';
import classes from './Providers.module.css';
import { PROVIDERS_QUERY } from './query.ts';
import { useText } from './text.ts';

export function Page() {
  const t = useText();
  const mayChange = usePlatformRole('admin');
  const { data } = useSuspenseQuery(PROVIDERS_QUERY);
  return (
    <>
      <PageHead title={t.title} lead={t.lead} />
      <Stack>
        {!mayChange && <ReadOnly />}
        {!data.secrets_enabled && <MissingKey />}
        <ul className={classes.cards}>
          {data.providers.map((view) => (
            <ProviderCard key={view.provider} view={view} />
          ))}
        </ul>
      </Stack>
    </>
  );
}
