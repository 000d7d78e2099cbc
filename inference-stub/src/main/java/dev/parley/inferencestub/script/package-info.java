/** Conversations written down: a script's model, its parser, and nothing that talks. */
@NullMarked
package dev.parley.inferencestub.script;

import org.jspecify.annotations.NullMarked;
