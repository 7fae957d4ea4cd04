import { useResultText } from '../results/text.ts';
import classes from './GettingStarted.module.css';

const GRANT = 'npx gatehouse admin grant <email>';

export function GettingStarted({ canRegister }: { canRegister: boolean }) {
  const t = useResultText().home.gettingStarted;
  const places = [
    ['/docs', t.reference],
    ['/openapi.json', t.openapi],
    ['/readyz', t.readiness],
    ['/dev/mail', t.mails],
  ] as const;
  return (
    <section aria-labelledby="gettingStarted" className={classes.section}>
      <h2 id="gettingStarted">{t.title}</h2>
      <p className="small dimmed">{t.lead}</p>
      <ol className={classes.steps}>
        {canRegister && (
          <li>
            <a href="/register">{t.register}</a> {t.registerHint}
          </li>
        )}
        <li>
          {t.grant} <code>{GRANT}</code>
        </li>
        <li>
          <a href="/console">{t.console}</a> {t.consoleHint}
        </li>
      </ol>
      <ul className={classes.places}>
        {places.map(([path, label]) => (
          <li key={path}>
            <a href={path}>{label}</a> <code>{path}</code>
          </li>
        ))}
      </ul>
    </section>
  );
}
