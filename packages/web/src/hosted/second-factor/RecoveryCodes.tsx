import { useState } from 'react';
import { saveFile } from '../../app/save-file.ts';
import { useWords } from '../../ui/words.ts';
import { Button } from '../parts/Button.tsx';
import { Checkbox } from '../parts/Checkbox.tsx';
import { useResultText } from '../results/text.ts';
import classes from './SecondFactor.module.css';

interface Props {
  readonly codes: readonly string[];
  readonly onKept: () => void;
}

/** Shows the codes, which are available only once. The user has to confirm that they are saved. */
export function RecoveryCodes({ codes, onKept }: Props) {
  const t = useResultText().secondFactor;
  const words = useWords();
  const [isKept, setIsKept] = useState(false);
  const download = () => saveFile(t.file, `${codes.join('\n')}\n`, 'text/plain;charset=utf-8');
  return (
    <>
      <ol className={classes.codes} aria-label={t.codes}>
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ol>
      <Button variant="default" onClick={download}>
        {words.download}
      </Button>
      <Checkbox label={t.kept} description={t.keptHint} checked={isKept} onChange={setIsKept} />
      <Button disabled={!isKept} onClick={onKept}>
        {words.continue}
      </Button>
    </>
  );
}
