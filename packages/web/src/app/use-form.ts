import { isGatehouseError } from '@gatehouse/client';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { useAction } from '../ui/use-action.ts';
import { useUnsaved } from './unsaved.ts';

/** A sentence at each field whose value is wrong. */
export type Faults<V> = { readonly [K in keyof V]?: string | undefined };

interface Options<V> {
  /** The values before a change. */
  readonly values: V;
  /** Sends the values. `reset` is for a form that stays: its fields show `values` again, which are reloaded by then. */
  readonly send: (values: V, reset: () => void) => Promise<unknown>;
  /** Returns what is wrong with the values. The browser checks `required` fields, unless the form has `noValidate`. */
  readonly check?: (values: V) => Faults<V>;
  /** The sentences at fields that the service can reject by name. */
  readonly refusals?: Faults<V>;
  /** Whether the user is asked before changes are lost. Not for passwords and codes: they are typed again. */
  readonly guarded?: boolean;
}

/** What a field passes to `onChange`: the event of an input, or the value itself. */
type Change<T> = T | { readonly currentTarget: { readonly value: string } };

const valueIn = <T>(change: Change<T>): T =>
  (typeof change === 'object' && change !== null && 'currentTarget' in change
    ? change.currentTarget.value
    : change) as T;

/** Compares values of fields. Lists are compared as sets. */
const isSame = (one: unknown, other: unknown): boolean =>
  JSON.stringify(Array.isArray(one) ? [...one].sort() : one) ===
  JSON.stringify(Array.isArray(other) ? [...other].sort() : other);

/**
 * The state of a form: `<form {...form.props}>`, `{...form.field('name')}` for an input or another control with `value`
 * and `onChange`, `{...form.toggle('name')}` for a checkbox or switch. Fields that the user has not changed follow
 * `values`. Errors are shown from the first attempt to send until the value is valid; the first invalid field gets the
 * focus. While there are changes, the user is asked before they are lost.
 */
export function useForm<V extends object>({ values: saved, send, check, refusals, guarded = true }: Options<V>) {
  const ref = useRef<HTMLFormElement>(null);
  const [typed, setTyped] = useState<Partial<V>>({});
  const [sent, setSent] = useState(typed);
  const [attempts, setAttempts] = useState(0);
  const values: V = { ...saved, ...typed };
  const isChanged = (Object.keys(typed) as (keyof V)[]).some((name) => !isSame(typed[name], saved[name]));

  const reset = () => {
    setTyped({});
    setAttempts(0);
  };
  const action = useAction(async () => {
    await send(values, reset);
    setSent(typed);
    setAttempts(0);
  });
  useUnsaved(guarded && isChanged && typed !== sent && !action.busy);

  const faults: Faults<V> = check?.(values) ?? {};
  const isValid = Object.values(faults).every((fault) => !fault);
  const rejected = isGatehouseError(action.error) ? action.error.fields.map((field) => field.split('.').at(-1)) : [];
  const named = (Object.keys(refusals ?? {}) as (keyof V)[]).filter((name) => rejected.includes(String(name)));

  // biome-ignore lint/correctness/useExhaustiveDependencies: runs after an attempt and after a rejection
  useEffect(() => {
    if (attempts > 0) ref.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [attempts, action.error]);

  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    // In React, the submit event of a dialog that the form opens bubbles up to the form.
    if (event.target !== event.currentTarget) return;
    setAttempts(attempts + 1);
    if (isValid) void action.run();
  };
  const set = (change: Partial<V>) => setTyped({ ...typed, ...change });
  const faultAt = (name: keyof V): string | undefined => {
    if (named.includes(name)) return refusals?.[name];
    return attempts > 0 ? faults[name] : undefined;
  };

  return {
    values,
    isChanged,
    busy: action.busy,
    /** The error of the last attempt, unless it is shown at a field. */
    error: named.length > 0 ? undefined : action.error,
    props: { ref, onSubmit },
    set,
    clear: action.clear,
    field: <K extends keyof V>(name: K) => ({
      value: values[name],
      error: faultAt(name),
      onChange: (change: Change<V[K]>) => set({ [name]: valueIn<V[K]>(change) } as unknown as Partial<V>),
    }),
    toggle: (name: keyof V) => ({
      checked: values[name] === true,
      onChange: (event: { readonly currentTarget: { readonly checked: boolean } }) =>
        set({ [name]: event.currentTarget.checked } as unknown as Partial<V>),
    }),
  };
}

export type Form = Pick<ReturnType<typeof useForm>, 'props' | 'busy' | 'error' | 'isChanged'>;
