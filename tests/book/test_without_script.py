"""Pages in a browser that runs no script: complete, and without what would do nothing."""

# Radio buttons and folds work by themselves; the answers of a game look like text there.
CONTROLS = "main :is(button, select, textarea, input:not([type=radio])):not(.mb-turn button)"


def test_no_control_is_shown_that_would_do_nothing(page_without_script):
    shown = [each for each in page_without_script.locator(CONTROLS).all() if each.is_visible()]
    assert [each.evaluate("element => element.outerHTML.slice(0, 120)") for each in shown] == []


def test_a_quiz_replies_without_a_script(page_without_script):
    for quiz in page_without_script.locator(".mb-quiz").all()[:2]:
        reply = quiz.locator(".mb-option").last.locator("p")
        assert not reply.is_visible()
        quiz.locator("input").last.check()
        assert reply.is_visible()
