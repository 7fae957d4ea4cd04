/** `1 mail`, `2 mails`. */
export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

/** Words of somebody else, on one line: nothing in them may move a terminal, and none of them goes on for ever. */
export const printable = (text: string, most = 100): string => text.slice(0, most).replace(/\p{C}/gu, '?');
