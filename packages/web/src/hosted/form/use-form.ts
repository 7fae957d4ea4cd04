import { isGatehouseError } from '@gatehouse/client';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { tabStorage } from '../../ui/tab-storage.ts';
import { useAction } from '../../ui/use-action.ts';
import { useWords } from '../../ui/words.ts';
import type { Check } from './checks.ts';

type Values<F extends string> = Readonly<Record<F, string>>;
type Problems<F extends string> = Partial<Record<F, string>>;

/** Values of a form that was not sent, without passwords, by the name of the form. */
type Drafts = Readonly<Record<string, Readonly<Record<string, string>>>>;
const drafts = tabStorage<Drafts>('gatehouse-drafts', 15 * 60_000);

export const forgetDrafts = drafts.remove;

interface Options<F extends string> {
  readonly checks: Readonly<Record<F, Check>>;
  readonly send: (values: Values<F>) => Promise<unknown>;
  /** Keeps the typed values in the tab under this name until the form is sent. */
  readonly draft?: string;
}

/**
 * A form whose fields are read on submit, so that values filled in by a password manager count even if it fires no
 * events. Errors are shown at the fields, in the language of the page; the first invalid field gets the focus, and its
 * message disappears as soon as the value is valid.
 */
export function useForm<F extends string>({ checks, send, draft }: Options<F>) {
  const words = useWords();
  const form = useRef<HTMLFormElement>(null);
  const [problems, setProblems] = useState<Problems<F>>({});
  // Set if the first invalid field has to get the focus after the next render.
  const focusIsDue = useRef(false);
  const names = Object.keys(checks) as F[];

  const showProblems = (found: Problems<F>) => {
    focusIsDue.current = true;
    setProblems(found);
  };

  const action = useAction(async (values: Values<F>) => {
    try {
      await send(values);
      if (draft !== undefined) forgetDrafts();
    } catch (error) {
      const refused = isGatehouseError(error) ? names.filter((name) => error.fields.includes(name)) : [];
      if (refused.length === 0) throw error;
      const sentences = refused.map((name) => [name, checks[name](values[name], words) ?? words.errors.invalid_input]);
      showProblems(Object.fromEntries(sentences));
    }
  });

  // biome-ignore lint/correctness/useExhaustiveDependencies: runs after the problems are rendered
  useEffect(() => {
    if (focusIsDue.current) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
    focusIsDue.current = false;
  }, [problems]);
  useEffect(() => {
    if (action.error === undefined) return;
    const fields = form.current?.querySelectorAll<HTMLInputElement>('input:not([type="checkbox"])') ?? [];
    const last = [...fields].at(-1);
    // The disabled button has lost the focus, which now goes to the field that most likely has to change.
    if (document.activeElement === document.body) last?.focus();
    // Selects the wrong code, so that typing replaces it.
    if (last?.dataset.kind === 'code' && document.activeElement === last) last.select();
  }, [action.error]);

  const read = (): Values<F> => {
    const data = new FormData(form.current ?? undefined);
    return Object.fromEntries(names.map((name) => [name, String(data.get(name) ?? '')])) as Values<F>;
  };

  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    const values = read();
    const found = names
      .map((name) => [name, checks[name](values[name], words)])
      .filter(([, problem]) => problem !== undefined);
    showProblems(Object.fromEntries(found));
    if (found.length === 0) void action.run(values);
  };

  const onInput = (event: FormEvent) => {
    const { name, value, dataset } = event.target as HTMLInputElement;
    if (draft !== undefined && dataset.kind !== 'password') {
      const all = drafts.read();
      drafts.write({ ...all, [draft]: { ...all?.[draft], [name]: value } });
    }
    if (!(name in problems)) return;
    const { [name as F]: _put, ...others } = problems;
    const problem = checks[name as F](value, words);
    setProblems(problem === undefined ? (others as Problems<F>) : { ...problems, [name]: problem });
  };

  return {
    busy: action.busy,
    error: action.error,
    clear: action.clear,
    read,
    form: { ref: form, onSubmit, onInput, noValidate: true },
    field: (name: F) => ({
      name,
      error: problems[name],
      ...(draft !== undefined && { defaultValue: drafts.read()?.[draft]?.[name] }),
    }),
  };
}
