"use strict";
class SpacePage {}
