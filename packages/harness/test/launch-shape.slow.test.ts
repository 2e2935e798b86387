import './launch-shape.test.ts';
