import './misuse-messages.test.ts';
