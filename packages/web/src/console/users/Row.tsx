import { Text } from '@mantine/core';
import { type Confirmation, ConfirmButton } from '../../app/ConfirmButton.tsx';
import { Dimmed } from '../../app/Dimmed.tsx';
import classes from './Row.module.css';

interface Props extends Omit<Confirmation, 'title'> {
  readonly title: string;
  readonly hint: string;
  readonly done?: string | undefined;
  /** The title of the question. */
  readonly ask: string;
}

/** One action on an account, which asks for confirmation. */
export const Row = ({ title, hint, done, ask, ...confirmation }: Props) => (
  <div className={classes.row}>
    <div className={classes.words}>
      <Text fw={550}>{title}</Text>
      <Dimmed>{hint}</Dimmed>
      <Text size="sm" role="status">
        {done}
      </Text>
    </div>
    <ConfirmButton size="sm" title={ask} {...confirmation} />
  </div>
);
