import './devices.test.ts';
