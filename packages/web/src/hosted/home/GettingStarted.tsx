import { Anchor, Divider, Text, Title } from '@mantine/core';
import { useText } from '../text.ts';
import classes from './GettingStarted.module.css';

const GRANT = 'npx gatehouse admin grant <email>';

/** In development: the next steps after the first start of the service. */
export function GettingStarted({ canRegister }: { canRegister: boolean }) {
  const t = useText().home.gettingStarted;
  const places = [
    ['/docs', t.reference],
    ['/openapi.json', t.openapi],
    ['/readyz', t.readiness],
    ['/dev/mail', t.mails],
  ] as const;
  return (
    <section aria-labelledby="gettingStarted">
      <Divider mb="md" />
      <Title order={2} size="h4" id="gettingStarted">
        {t.title}
      </Title>
      <Text size="sm" c="dimmed">
        {t.lead}
      </Text>
      <ol className={classes.steps}>
        {canRegister && (
          <li>
            <Anchor href="/register">{t.register}</Anchor> {t.registerHint}
          </li>
        )}
        <li>
          {t.grant} <code>{GRANT}</code>
        </li>
        <li>
          <Anchor href="/console">{t.console}</Anchor> {t.consoleHint}
        </li>
      </ol>
      <ul className={classes.places}>
        {places.map(([path, label]) => (
          <li key={path}>
            <Anchor href={path}>{label}</Anchor> <code>{path}</code>
          </li>
        ))}
      </ul>
    </section>
  );
}
