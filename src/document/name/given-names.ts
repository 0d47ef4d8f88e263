/**
 * Frequent given names of people that are no words of interfaces as well: `mark`,
 * `grant`, `page` or `max` would hide more fields than persons.
 */
const names =
  "aaron abigail ada adam adrian agnes ahmed aisha alan albert alejandro alex alexander alexandra alexis " +
  "alfred ali alice alicia alison amanda amelia amy ana anastasia andre andrea andreas andrei andrew " +
  "andy angela anita anja ann anna anne annika anthony antoine anton antonio arthur ashley astrid " +
  "august barbara beatrice ben benjamin bernard bernd bettina bianca bjorn bob brandon brenda brian " +
  "bridget bruno camila carina carla carlos carmen caroline catherine cecilia charles charlie " +
  "charlotte chloe chris christian christina christine christopher claire clara claudia colin " +
  "connor cynthia daniel daniela danielle david deborah denis dennis diana diego dieter dimitri " +
  "dmitri dominik donald donna dorothy douglas edward elena eleanor elias elisa elisabeth elizabeth " +
  "ella ellen emil emily emma eric erik erika ernst esther ethan eugene eva evelyn fatima felix " +
  "fernando florian francesca francesco francis franz frederick fritz gabriel gabriela george " +
  "gerald gerhard gianni giovanni giulia gloria gordon gregor gregory guillaume gustav hannah " +
  "hans harold harry hassan heather heidi heinrich helen helena helga henri henry herbert hiroshi " +
  "howard hugo ibrahim ida igor ines ingrid irene irina isaac isabel isabella ivan jack jackson " +
  "jacob jacqueline jakob james jamie jane janet jason javier jean jeff jeffrey jennifer jeremy " +
  "jerry jesse jessica jim joan joanna joe joel johan johanna johannes john johnny jonas jonathan " +
  "jorge jose josef joseph joshua juan judith julia julian juliane julie jurgen justin karen karin " +
  "karl katarina kate katharina katherine kathleen kathryn katja keith kelly kenneth kevin kim " +
  "klaus konrad kristin kurt kyle larry lars laura lauren laurent lea leah leo leon leonardo lily " +
  "linda lisa logan lorenzo louis louise luca lucas lucia lucy luis luisa lukas luke magdalena " +
  "manuel marc marcel marco marcus margaret maria mariam marie marina mario marion marius markus " +
  "marta martha martin martina mary mateo mathias matteo matthew matthias maurice maximilian " +
  "megan mehmet melanie melissa mia michael michaela michel michelle miguel mikael mike mila mohamed " +
  "mohammed monika moritz muhammad nadia nancy naomi natalia natalie natasha nathan nicholas nick " +
  "nicola nicolas nicole niklas nikola nina noah nora norbert oleg olga oliver olivia omar oscar " +
  "oskar otto pablo pamela patricia patrick paul paula pauline pavel pedro peter petra philip " +
  "philipp philippe pierre rachel rafael ralph ramon raphael raymond rebecca regina reinhard rene " +
  "ricardo richard robert roberto robin roger roland ronald rosa rosemary ruth ryan sabine sabrina " +
  "samantha samuel sandra santiago sara sarah sean sebastian sergei sergio sharon shirley silvia " +
  "simon simone sofia sonja sophia sophie stefan stefanie stella stephan stephanie stephen steve " +
  "steven susan susanne svetlana sven sylvia tamara tanja tatiana teresa theodor theresa thomas " +
  "tim timothy tobias tom tommy tony tyler ulrich ursula valentina vanessa vera veronica victor " +
  "victoria viktor vincent virginia vivian vladimir walter wei werner wilhelm william wolfgang " +
  "xavier yasmin yusuf yuki yuri yvonne zachary zoe";

const givenNames: ReadonlySet<string> = new Set(names.split(" "));

/** Whether a word is the given name of a person, in any case. */
export function isPersonFirstName(word: string): boolean {
  return givenNames.has(word.toLowerCase());
}
